package dev.cotenant.service.gate;

import dev.cotenant.admission.gate.GateView;
import dev.cotenant.admission.ledger.GrantState;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * What of the gate controller can be read at any time: who leads, who waits, who holds capacity,
 * and what an operator should check. A replica that does not lead shows nothing but that.
 */
final class GateGauges {
  private static final double MILLIS_PER_SECOND = 1_000;
  private static final List<GrantState> STATES =
      List.of(GrantState.NOMINATED, GrantState.ALLOCATED, GrantState.BOUND, GrantState.OBSERVED);

  private final GateControllerRuntime gate;
  private final MeterRegistry meters;
  private final InstantSource clock;
  private final Counter unmanaged;
  private int unmanagedBefore;

  GateGauges(GateControllerRuntime gate, MeterRegistry meters, InstantSource clock) {
    this.gate = gate;
    this.meters = meters;
    this.clock = clock;
    unmanaged =
        Counter.builder("cotenant.unmanaged.pods.detected")
            .description("GPU pods of opted-in namespaces that no webhook has processed")
            .register(meters);
  }

  void show() {
    gauge("cotenant.leader", one -> one.term() == 0 ? 0 : 1);
    gauge("cotenant.term", GateControllerRuntime::term);
    gauge("cotenant.gated.pods", one -> one.view().queue().size());
    gauge("cotenant.gate.oldest.wait.seconds", this::oldestSeconds);
    STATES.forEach(this::reservations);
    gauge("cotenant.profiling.gpus", one -> closed(one.view(), Tenant::profiledUntil));
    gauge("cotenant.guarded.gpus", one -> closed(one.view(), Tenant::guardedSince));
    gauge("cotenant.unmanaged.pods", one -> one.view().health().unmanaged());
    gauge("cotenant.leaked.grants", one -> one.view().health().leaked());
    gauge("cotenant.overcommitted.gpus", one -> one.view().health().overcommitted());
    gauge("cotenant.unrepresented.gpus", one -> one.view().health().unrepresented());
    gauge("cotenant.unverified.pods", one -> one.view().health().unverified());
    gauge(
        "cotenant.watch.age.seconds",
        one -> one.watchAge().map(GateGauges::seconds).orElse(Double.NaN));
    FunctionCounter.builder(
            "cotenant.watch.skipped.objects", gate, GateControllerRuntime::skippedObjects)
        .register(meters);
  }

  /** Counts the unmanaged pods since the last call; one caller at a time. */
  void countUnmanaged() {
    int now = gate.view().health().unmanaged();
    if (now > unmanagedBefore) {
      unmanaged.increment(now - unmanagedBefore);
    }
    unmanagedBefore = now;
  }

  private void gauge(String name, ToDoubleFunction<GateControllerRuntime> value) {
    Gauge.builder(name, gate, value).strongReference(true).register(meters);
  }

  private void reservations(GrantState state) {
    Gauge.builder("cotenant.grants", gate, one -> count(one.view(), state))
        .tag("state", state.label())
        .strongReference(true)
        .register(meters);
  }

  private static double count(GateView view, GrantState state) {
    return view.granted().values().stream().filter(holding -> holding.state() == state).count();
  }

  /** GPUs that are closed because of a tenant. */
  private static double closed(GateView view, Function<Tenant, @Nullable Instant> because) {
    return view.cluster().gpus().stream()
        .filter(gpu ->
            gpu.tenancy() instanceof Tenancy.Shared(List<Tenant> tenants)
                && tenants.stream().anyMatch(tenant -> because.apply(tenant) != null))
        .count();
  }

  private double oldestSeconds(GateControllerRuntime one) {
    return one.view().queue().stream()
        .map(waiting -> Duration.between(waiting.since(), clock.instant()))
        .max(Duration::compareTo)
        .map(GateGauges::seconds)
        .orElse(0.0);
  }

  private static double seconds(Duration duration) {
    return duration.toMillis() / MILLIS_PER_SECOND;
  }
}
