package dev.cotenant.service.serving;

import dev.cotenant.admission.gate.GateView;
import dev.cotenant.admission.gate.GateView.Holding;
import dev.cotenant.admission.inventory.GrantReader;
import dev.cotenant.admission.ledger.GrantState;
import dev.cotenant.admission.supervision.Loop;
import dev.cotenant.admission.supervision.LoopPlan;
import dev.cotenant.admission.supervision.Supervisor;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.MemoryOutlook;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.workload.EngineRun;
import dev.cotenant.domain.workload.Workload;
import dev.cotenant.engine.lifecycle.StoreException;
import dev.cotenant.llm.pod.Value;
import dev.cotenant.llm.serving.VllmVersion;
import dev.cotenant.llm.startup.EngineStart;
import dev.cotenant.service.serving.ServingReports.Evidence;
import dev.cotenant.service.serving.ServingReports.Reported;
import dev.cotenant.service.serving.ServingReports.Result;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Learns from running servers of vLLM: the tokens of their KV cache say what weights, activations
 * and memory outside of PyTorch leave of the utilization, and the used memory of a GPU that a
 * server has alone says what lies outside of it. One start of each pod counts. A loop of its own
 * looks; it stops with {@link #close}.
 */
public final class EngineFeedback implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(EngineFeedback.class);
  private static final Duration AT_MOST = Duration.ofMinutes(5);
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  /** From the start of a pod until its memory is measured. */
  static final Duration SETTLED = Duration.ofMinutes(10);

  private static final Duration FRESH = Duration.ofMinutes(5);
  private static final Set<GrantState> RUNNING = Set.of(GrantState.BOUND, GrantState.OBSERVED);

  private final EngineMetrics metrics;
  private final Supplier<GateView> view;
  private final ServingReports reports;
  private final MeterRegistry meters;
  private final InstantSource clock;

  /** Pods whose start was reported, by uid. */
  private final Set<String> reported = new HashSet<>();

  private String lastFailure = "";
  private @Nullable Loop loop;

  /**
   * @param view of the gate; without grants where this process does not lead
   */
  public EngineFeedback(
      EngineMetrics metrics,
      Supplier<GateView> view,
      ServingReports reports,
      MeterRegistry meters,
      InstantSource clock) {
    this.metrics = metrics;
    this.view = view;
    this.reports = reports;
    this.meters = meters;
    this.clock = clock;
  }

  /** Looks after each interval. */
  public void start(Duration interval, Supervisor supervisor) {
    loop =
        supervisor.start(
            LoopPlan.restarted("engine-metrics", AT_MOST),
            heart -> {
              heart.rest(interval);
              look();
            });
  }

  @Override
  public void close() {
    if (loop != null) {
      loop.close(PATIENCE);
    }
  }

  private void look() {
    try {
      observe();
    } catch (StoreException e) {
      failed(String.valueOf(e.getMessage()));
    } catch (RuntimeException defect) { // the loop would end with it
      LOG.error("Learning from servers of language models failed on a defect", defect);
    }
  }

  /**
   * Looks once.
   *
   * @throws StoreException when a start cannot be stored; it is offered again at the next look
   */
  void observe() {
    GateView seen = view.get();
    List<Holding> due = seen.granted().values().stream().filter(this::isDue).toList();
    reported.retainAll(seen.granted().values().stream().map(held -> held.pod().uid()).toList());
    if (due.isEmpty()) {
      return;
    }
    EngineMetrics.Reading reading = metrics.read(clock.instant());
    failed(reading.failure());
    for (Holding held : due) {
      EngineMetrics.State state = reading.servers().get(held.pod().pod().toString());
      if (state != null) {
        report(held, state, seen);
        reported.add(held.pod().uid());
      }
    }
  }

  private void failed(String message) {
    if (!message.isEmpty() && !message.equals(lastFailure)) {
      LOG.warnf("Nothing is learnt from servers of language models: %s", message);
    }
    lastFailure = message;
  }

  private boolean isDue(Holding held) {
    Instant started = held.pod().life().startedAt();
    return started != null
        && !clock.instant().isBefore(started.plus(SETTLED))
        && RUNNING.contains(held.state())
        && held.decision().grants().size() == 1
        && !reported.contains(held.pod().uid())
        && server(held) != null;
  }

  /** The server whose arguments are all known; null where the pod is none. */
  private static @Nullable EngineRun server(Holding held) {
    Workload workload = GrantReader.workload(held.pod().request()).orElse(null);
    EngineRun run = workload == null ? null : workload.engine();
    return run != null
            && run.kind() == EngineRun.Kind.SERVER
            && run.version() != null
            && run.model() != null
            && run.unread().isEmpty()
        ? run
        : null;
  }

  private void report(Holding held, EngineMetrics.State state, GateView seen) {
    EngineRun run = Objects.requireNonNull(server(held));
    Grant grant = held.decision().grants().getFirst();
    GpuSnapshot gpu =
        seen.cluster().gpus().stream()
            .filter(one -> one.uuid().equals(grant.gpuUuid()))
            .findFirst()
            .orElse(null);
    if (gpu == null) {
      return;
    }
    Map<String, Value> flags = new LinkedHashMap<>();
    run.settings().forEach((name, text) -> flags.put(name, new Value(text, "container")));
    EngineStart start =
        new EngineStart(
            "pod " + held.pod().pod(),
            VllmVersion.of(Objects.requireNonNull(run.version())),
            Objects.requireNonNull(run.model()),
            flags,
            new EngineStart.Measured(null, null, null, null, null, null, null, state.kvTokens()));
    String namespace = held.pod().pod().namespace();
    Result result =
        reports
            .add(
                namespace,
                "metrics of " + held.pod().pod(),
                List.of(
                    new Reported(
                        run.model(),
                        gpu.device().id().value(),
                        new Evidence.Values(start),
                        process(gpu))))
            .getFirst();
    result.rejected().forEach(why -> LOG.infof("Nothing is learnt from %s", why));
    String outcome =
        result.added() > 0 ? "added" : result.duplicates() > 0 ? "duplicate" : "rejected";
    meters.counter("cotenant.serving.starts", "outcome", outcome).increment();
  }

  /** Used memory of a GPU that one pod has alone; NaN where that is not known. */
  private static double process(GpuSnapshot gpu) {
    boolean alone = gpu.tenancy() instanceof Tenancy.Shared(var tenants) && tenants.size() == 1;
    return alone
            && gpu.memory() instanceof MemoryOutlook.Measured measured
            && measured.age().compareTo(FRESH) <= 0
        ? measured.lastUsed().bytes()
        : Double.NaN;
  }
}
