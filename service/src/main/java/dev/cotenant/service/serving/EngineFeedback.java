package dev.cotenant.service.serving;

import dev.cotenant.admission.gate.GateView;
import dev.cotenant.admission.gate.GateView.Holding;
import dev.cotenant.admission.ledger.GrantState;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.supervision.Loop;
import dev.cotenant.admission.supervision.LoopPlan;
import dev.cotenant.admission.supervision.Supervisor;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.MemoryObservation;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.workload.EngineRun;
import dev.cotenant.engine.lifecycle.StoreException;
import dev.cotenant.llm.pod.Value;
import dev.cotenant.llm.serving.VllmVersion;
import dev.cotenant.llm.startup.EngineStart;
import dev.cotenant.service.serving.EngineMetrics.Served;
import dev.cotenant.service.serving.ServingReports.Evidence;
import dev.cotenant.service.serving.ServingReports.Reported;
import dev.cotenant.service.serving.ServingReports.Result;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Reads what running servers of vLLM export. The gate hears of each that serves, so that the next
 * one on its GPU may start. And it learns from them: the tokens of their KV cache say what weights,
 * activations and memory outside of PyTorch leave of the utilization, and the used memory of a GPU
 * that a server has alone says what lies outside of it. Only a server that has had its GPU alone
 * since it started counts, and one start of each pod. A loop of its own looks; it stops with {@link
 * #close}.
 */
public final class EngineFeedback implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(EngineFeedback.class);
  private static final Duration AT_MOST = Duration.ofMinutes(5);
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  /** From the start of a pod until its memory is measured. */
  static final Duration SETTLED = Duration.ofMinutes(10);

  /** Age of used memory at most, and from the first metrics of a server until it is measured. */
  static final Duration FRESH = Duration.ofMinutes(5);

  private static final Set<GrantState> RUNNING = Set.of(GrantState.BOUND, GrantState.OBSERVED);

  private final EngineMetrics metrics;
  private final Gate gate;
  private final ServingReports reports;
  private final MeterRegistry meters;
  private final InstantSource clock;

  /** Pods whose start was reported, by uid. */
  private final Set<String> reported = new HashSet<>();

  /** When each pod's metrics were first seen, by uid. */
  private final Map<String, Instant> answered = new HashMap<>();

  private Map<String, Occupancy> occupancies = Map.of();
  private String lastFailure = "";
  private @Nullable Loop loop;

  /**
   * The gate of this process.
   *
   * @param view what it knows; without grants where this process does not lead
   * @param serving hears of servers that serve, by uid and when that was seen
   */
  public record Gate(Supplier<GateView> view, Consumer<Map<String, Instant>> serving) {}

  /** Who holds a GPU, and since when nobody else has. */
  private record Occupancy(Set<String> holders, Instant since) {}

  /**
   * @param metrics closed with this
   * @param gate its view, and what hears of servers that serve, by uid and when that was seen
   */
  public EngineFeedback(
      EngineMetrics metrics,
      Gate gate,
      ServingReports reports,
      MeterRegistry meters,
      InstantSource clock) {
    this.metrics = metrics;
    this.gate = gate;
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
    metrics.close();
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
    GateView seen = gate.view().get();
    Instant now = clock.instant();
    watch(seen, now);
    List<Holding> due = seen.granted().values().stream().filter(held -> isDue(held, now)).toList();
    List<String> known = seen.granted().values().stream().map(held -> held.pod().uid()).toList();
    reported.retainAll(known);
    answered.keySet().retainAll(known);
    List<Holding> starting =
        seen.granted().values().stream().filter(held -> isStarting(held, now)).toList();
    if (due.isEmpty() && starting.isEmpty()) {
      return;
    }
    EngineMetrics.Reading reading = metrics.read(now);
    failed(reading.failure());
    reportServing(starting, reading);
    for (Holding held : due) {
      Served served = served(held, reading);
      String uid = held.pod().uid();
      if (served != null
          && !now.isBefore(answered.computeIfAbsent(uid, _ -> now).plus(FRESH))
          && isSettled(held, served.tokens(), seen)) {
        reported.add(uid);
      }
    }
  }

  /**
   * The log of a pod's server says that it serves, which the gate hears of where the pod has just
   * started. Safe for use by several threads.
   */
  public void serves(String namespace, String pod) {
    Holding held = gate.view().get().granted().get(new PodIdentity(namespace, pod, null));
    Instant now = clock.instant();
    if (held != null && isStarting(held, now)) {
      gate.serving().accept(Map.of(held.pod().uid(), now));
    }
  }

  /** Reports to the gate which of these serve. */
  private void reportServing(List<Holding> starting, EngineMetrics.Reading reading) {
    Map<String, Instant> serving = new HashMap<>();
    for (Holding held : starting) {
      Served served = served(held, reading);
      if (served != null) {
        serving.put(held.pod().uid(), served.at());
      }
    }
    if (!serving.isEmpty()) {
      gate.serving().accept(serving);
    }
  }

  private static @Nullable Served served(Holding held, EngineMetrics.Reading reading) {
    return reading.servers().get(held.pod().pod().toString());
  }

  /** Whether the next server may wait for this one. */
  private static boolean isStarting(Holding held, Instant now) {
    Instant started = held.pod().life().startedAt();
    return started != null
        && now.isBefore(started.plus(SETTLED))
        && held.pod().request() instanceof Colocatable pod
        && pod.workload().engine() != null;
  }

  private void watch(GateView seen, Instant now) {
    Map<String, Occupancy> next = new HashMap<>();
    for (GpuSnapshot gpu : seen.cluster().gpus()) {
      Set<String> holders =
          switch (gpu.tenancy()) {
            case Tenancy.Shared(var tenants) ->
                tenants.stream().map(Tenant::name).collect(Collectors.toSet());
            case Tenancy.Exclusive(var holder) -> Set.of(holder);
            case Tenancy.Mig() -> Set.of("MIG");
          };
      Occupancy before = occupancies.get(gpu.uuid());
      boolean isNew =
          before == null || !(before.holders.isEmpty() || before.holders.equals(holders));
      next.put(gpu.uuid(), new Occupancy(holders, before == null || isNew ? now : before.since));
    }
    occupancies = next;
  }

  /** Whether nobody else has held the GPU since the pod started. */
  private boolean isAlone(Holding held, Instant started) {
    Occupancy now = occupancies.get(held.decision().grants().getFirst().gpuUuid());
    return now != null
        && now.holders.equals(Set.of(held.pod().pod().toString()))
        && !now.since.isAfter(started);
  }

  private void failed(String message) {
    if (!message.isEmpty() && !message.equals(lastFailure)) {
      LOG.warnf("Nothing is learned from servers of language models: %s", message);
    }
    lastFailure = message;
  }

  private boolean isDue(Holding held, Instant now) {
    Instant started = held.pod().life().startedAt();
    return started != null
        && !now.isBefore(started.plus(SETTLED))
        && RUNNING.contains(held.state())
        && held.decision().grants().size() == 1
        && !reported.contains(held.pod().uid())
        && server(held) != null
        && isAlone(held, started);
  }

  /** The server whose arguments are all known and that sees its whole GPU; else null. */
  private static @Nullable EngineRun server(Holding held) {
    if (!(held.pod().request() instanceof Colocatable pod)
        || pod.gpu().memory() != null
        || pod.gpu().dialect().showsRequestedMemory()) {
      return null;
    }
    EngineRun run = pod.workload().engine();
    return run != null
            && run.kind() == EngineRun.Kind.SERVER
            && run.version() != null
            && run.model() != null
            && run.unread().isEmpty()
        ? run
        : null;
  }

  /**
   * Reports a server.
   *
   * @return whether nothing more can be learned of its start
   */
  private boolean isSettled(Holding held, double tokens, GateView seen) {
    Grant grant = held.decision().grants().getFirst();
    GpuSnapshot gpu =
        seen.cluster().gpus().stream()
            .filter(one -> one.uuid().equals(grant.gpuUuid()))
            .findFirst()
            .orElse(null);
    if (gpu == null) {
      return false;
    }
    Result result;
    try {
      result =
          reports
              .add(
                  held.pod().pod().namespace(),
                  "metrics of " + held.pod().pod(),
                  List.of(reported(held, tokens, gpu)))
              .getFirst();
    } catch (InputException e) { // such as a tag that is no version
      result = new Result(0, 0, List.of(held.pod().pod() + ": " + e.getMessage()), 0);
    }
    if (result.later() > 0) {
      return false;
    }
    result.rejected().forEach(why -> LOG.infof("Nothing is learned from %s", why));
    String outcome =
        result.added() > 0 ? "added" : result.duplicates() > 0 ? "duplicate" : "rejected";
    meters.counter("cotenant.serving.starts", "outcome", outcome).increment();
    return true;
  }

  private static Reported reported(Holding held, double tokens, GpuSnapshot gpu) {
    EngineRun run = Objects.requireNonNull(server(held));
    Map<String, Value> flags = new LinkedHashMap<>();
    run.settings().forEach((name, text) -> flags.put(name, new Value(text, "container")));
    EngineStart start =
        new EngineStart(
            "pod " + held.pod().pod(),
            VllmVersion.of(Objects.requireNonNull(run.version())),
            Objects.requireNonNull(run.model()),
            flags,
            new EngineStart.Measured(null, null, null, null, null, null, null, tokens));
    String key = held.pod().uid() + " " + held.pod().life().startedAt();
    return new Reported(
        run.model(),
        gpu.device().id().value(),
        new Evidence.Exported(start, key),
        process(gpu),
        null);
  }

  /** Used memory of a GPU; NaN where it is not known. */
  private static double process(GpuSnapshot gpu) {
    return gpu.memory() instanceof MemoryObservation.Measured measured
            && measured.age().compareTo(FRESH) <= 0
        ? measured.lastUsed().bytes()
        : Double.NaN;
  }
}
