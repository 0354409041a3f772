package dev.cotenant.service.gate;

import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.decision.DecisionRecord;
import dev.cotenant.admission.gate.port.GateListener;
import dev.cotenant.admission.guard.Incident;
import dev.cotenant.admission.kubernetes.write.WriteListener;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.review.Intent;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Evidence;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.service.tracing.GateTracing;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Locale;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Counts what the gate controller did and what became of its writes, records its decisions, and
 * logs what is unusual.
 */
public final class GateMetrics implements GateListener, WriteListener {
  private static final Logger LOG = Logger.getLogger(GateMetrics.class);
  private static final String NONE = "none";

  private static final Duration[] HOLDS = {
    Duration.ofMillis(100),
    Duration.ofMillis(500),
    Duration.ofSeconds(1),
    Duration.ofSeconds(5),
    Duration.ofSeconds(30),
    Duration.ofMinutes(2),
    Duration.ofMinutes(10),
    Duration.ofHours(1)
  };

  private static final Duration[] GRANTS = {
    Duration.ofMillis(10),
    Duration.ofMillis(50),
    Duration.ofMillis(100),
    Duration.ofMillis(500),
    Duration.ofSeconds(2),
    Duration.ofSeconds(10)
  };

  private final MeterRegistry meters;
  private final GateControllerRuntime.Parts parts;
  private final GateTracing tracing;

  /** Written by the controller's thread alone. */
  private String lastStateFailure = "";

  private final Timer hold;
  private final Timer grant;
  private final Timer cycle;

  GateMetrics(MeterRegistry meters, GateControllerRuntime.Parts parts) {
    this.meters = meters;
    this.parts = parts;
    tracing = parts.tracing();
    hold =
        timer(
            "cotenant.gate.wait",
            "Time for which Cotenant's gate was the only gate of a granted pod",
            HOLDS);
    grant =
        timer(
            "cotenant.gate.grant",
            "Time from the scheduling cycle of the decision to the grant",
            GRANTS);
    cycle = timer("cotenant.gate.cycle", "Duration of a scheduling cycle", GRANTS);
  }

  private Timer timer(String name, String description, Duration[] buckets) {
    return Timer.builder(name)
        .description(description)
        .serviceLevelObjectives(buckets)
        .register(meters);
  }

  @Override
  public void deciding(WatchedPod pod, Runnable work) {
    tracing.deciding(pod, work);
  }

  @Override
  public void decided(WatchedPod pod, @Nullable PlacementRequest request, Decision decision) {
    if (!(decision instanceof Decision.Admitted)) {
      tracing.decided(pod, decision); // a grant is traced with its patch
    }
    record(pod, request, decision);
    meters
        .counter(
            "cotenant.decisions",
            "result",
            decision.result(),
            "reason",
            reason(decision),
            "dry_run",
            "false")
        .increment();
    if (isTrial(decision)) {
      meters.counter("cotenant.trials").increment();
    }
    LOG.infof("%s %s %s", pod.pod(), decision.result(), reason(decision));
  }

  private void record(WatchedPod pod, @Nullable PlacementRequest request, Decision decision) {
    if (request != null && pod.request() instanceof Colocatable requested) {
      parts
          .recorded()
          .accept(
              new DecisionRecord(
                  parts.clock().instant(),
                  requested,
                  request,
                  decision,
                  Intent.REAL,
                  parts.policies().of(pod.pod().namespace()).mode()));
    }
  }

  private static boolean isTrial(Decision decision) {
    return decision instanceof Decision.Admitted admitted
        && admitted.evidence() instanceof Evidence.WithinLimits within
        && within.isTrial();
  }

  @Override
  public void granted(WatchedPod pod, Duration held, Duration sinceFitting) {
    hold.record(held);
    grant.record(sinceFitting);
    LOG.infof("%s ungated with a grant, gated for %d ms", pod.pod(), held.toMillis());
  }

  @Override
  public void ungatedUnmanaged(WatchedPod pod, String why) {
    meters.counter("cotenant.gate.ungated.unmanaged").increment();
    LOG.infof("%s ungated without a grant: %s", pod.pod(), why);
  }

  @Override
  public void conflicted(WatchedPod pod) {
    meters.counter("cotenant.grant.conflicts").increment();
  }

  @Override
  public void writeFailed(WatchedPod pod, String why) {
    LOG.warnf("Write of %s failed, will be retried: %s", pod.pod(), why);
  }

  @Override
  public void stateNotWritten(String why) {
    meters.counter("cotenant.leader.state.failures").increment();
    if (!why.equals(lastStateFailure)) {
      LOG.warnf("Write of the leader state failed, will be retried: %s", why);
    }
    lastStateFailure = why;
  }

  @Override
  public void leaked(WatchedPod pod, Duration since) {
    LOG.warnf(
        "Leaked grant: %s was granted capacity %d s ago and is not bound to a node",
        pod.pod(), since.toSeconds());
  }

  @Override
  public void ranOutOfMemory(WatchedPod pod) {
    meters.counter("cotenant.out.of.memory").increment();
    LOG.warnf("%s ran out of memory", pod.pod());
  }

  @Override
  public void distrusted(WatchedPod pod, String why) {
    meters.counter("cotenant.rejected.grants").increment();
    LOG.warnf("The grant in the annotations of %s is not trusted: %s", pod.pod(), why);
  }

  @Override
  public void preempted(WatchedPod victim, Preempted outcome) {
    meters.counter("cotenant.preemptions", "outcome", lowerCase(outcome)).increment();
    LOG.infof("%s is preempted by a pod of higher priority: %s", victim.pod(), lowerCase(outcome));
  }

  @Override
  public void guarded(WatchedPod victim, Incident incident) {
    meters
        .counter(
            "cotenant.guard.incidents",
            "signal",
            lowerCase(incident.cause().signal()),
            "outcome",
            incident.isClosed() ? lowerCase(incident.move()) : "observed")
        .increment();
    LOG.warnf(
        "%s violates an objective on %s: %s is %.3f, limit %.3f",
        victim.pod(),
        incident.gpu(),
        lowerCase(incident.cause().signal()),
        incident.value(),
        incident.limit());
  }

  @Override
  public void moved(WatchedPod newcomer, Moved outcome) {
    meters.counter("cotenant.guard.evictions", "outcome", lowerCase(outcome)).increment();
    LOG.infof("Guard eviction of %s: %s", newcomer.pod(), lowerCase(outcome));
  }

  @Override
  public void profiled(WatchedPod pod, Duration spent, boolean measured) {
    meters
        .counter("cotenant.profiling.gpu.seconds", "outcome", measured ? "measured" : "unmeasured")
        .increment((double) spent.toSeconds());
    LOG.infof(
        "Solo profiling of %s ended after %d s, configuration measured: %s",
        pod.pod(), spent.toSeconds(), measured);
  }

  @Override
  public void cycled(Duration took) {
    tracing.cycled();
    cycle.record(took);
  }

  @Override
  public void failed(RuntimeException defect) {
    meters.counter("cotenant.gate.internal.errors").increment();
    LOG.error("The gate controller continues after a defect", defect);
  }

  @Override
  public void written(WriteListener.Kind kind, WriteListener.Outcome outcome) {
    meters
        .counter("cotenant.writes", "kind", lowerCase(kind), "outcome", lowerCase(outcome))
        .increment();
  }

  private static String lowerCase(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  private static String reason(Decision decision) {
    return decision instanceof Decision.Admitted ? NONE : decision.reasons().getFirst().code();
  }
}
