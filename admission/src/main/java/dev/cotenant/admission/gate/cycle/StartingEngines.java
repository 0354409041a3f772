package dev.cotenant.admission.gate.cycle;

import dev.cotenant.admission.gate.state.Due;
import dev.cotenant.admission.gate.state.Term;
import dev.cotenant.admission.gate.state.TrackedPod;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.MemoryObservation;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.prediction.EngineMemory;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.MemorySize;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The servers of language models that start on the GPUs of a term, see {@link EngineStarts}. */
public final class StartingEngines {
  private final Term term;
  private final InstantSource clock;
  private final EngineStarts starts = new EngineStarts(EngineStarts.Rules.DEFAULT);
  private Set<String> waitedFor = Set.of();

  public StartingEngines(Term term, InstantSource clock) {
    this.term = term;
    this.clock = clock;
  }

  /** Takes in the samples of new metrics. */
  public void measured(ClusterSnapshot readings) {
    Map<String, List<EngineStarts.Server>> servers = servers();
    for (GpuSnapshot gpu : readings.gpus()) {
      if (gpu.memory() instanceof MemoryObservation.Measured measured) {
        starts.sampled(
            gpu.uuid(),
            readings.takenAt().minus(measured.age()),
            measured.lastUsed(),
            servers.getOrDefault(gpu.uuid(), List.of()));
      }
    }
    Set<String> keys = new HashSet<>();
    servers.values().stream()
        .flatMap(List::stream)
        .forEach(server -> {
          keys.add(server.key());
          show(server);
        });
    starts.keepOnly(keys);
  }

  /** Its memory counts in the samples from now on, and no more as one that has yet to come. */
  private void show(EngineStarts.Server server) {
    Instant started = server.startedAt();
    PodGrant grant = term.ledger().granted(server.key());
    if (started != null && grant != null && starts.isShown(server)) {
      PodGrant.State state = new PodGrant.Observed(started, true);
      if (!state.equals(grant.state())) {
        term.ledger().allocate(grant.in(state));
      }
    }
  }

  /** Servers serve, by the uids of their pods and when that was seen. */
  public void serving(Map<String, Instant> seen) {
    for (List<EngineStarts.Server> servers : servers().values()) {
      for (EngineStarts.Server server : servers) {
        Instant at = seen.get(server.key());
        if (at != null) {
          starts.serves(server, at);
        }
      }
    }
  }

  /** Before a cycle: refusals do not hold any more where a server has settled. */
  public void before(Instant now, Due due) {
    Set<String> unsettled = new HashSet<>();
    servers()
        .forEach((gpu, servers) ->
            starts
                .unsettled(gpu, servers, now)
                .ifPresent(server -> {
                  unsettled.add(gpu + " " + server.key());
                  due.at(starts.deadline(server));
                }));
    if (!unsettled.containsAll(waitedFor)) {
      term.cluster().freedElsewhere();
    }
    waitedFor = unsettled;
  }

  /** GPUs where a server waits for the start of another server, by uuid; empty for other pods. */
  Map<String, Reason.EngineStarting> blocking(Colocatable pod) {
    Map<String, Reason.EngineStarting> blocking = new HashMap<>();
    if (!pod.workload().isServer()) {
      return blocking;
    }
    Instant now = clock.instant();
    servers()
        .forEach((gpu, servers) -> {
          List<EngineStarts.Server> others =
              servers.stream()
                  .filter(server -> !server.pod().equals(pod.pod().toString()))
                  .toList();
          starts
              .unsettled(gpu, others, now)
              .ifPresent(server ->
                  blocking.put(
                      gpu,
                      new Reason.EngineStarting(
                          gpu, node(server.key()), starts.reason(gpu, server, now))));
        });
    return blocking;
  }

  private String node(String key) {
    return term.ledger().find(key).map(PodGrant::node).orElse("");
  }

  /** Servers with a share, by GPU. */
  private Map<String, List<EngineStarts.Server>> servers() {
    Map<String, List<EngineStarts.Server>> byGpu = new HashMap<>();
    for (PodGrant grant : term.ledger().all()) {
      server(grant)
          .ifPresent(server ->
              byGpu.computeIfAbsent(grant.gpus().getFirst(), _ -> new ArrayList<>()).add(server));
    }
    return byGpu;
  }

  private Optional<EngineStarts.Server> server(PodGrant grant) {
    if (grant.extent() != PodGrant.Extent.SHARE) {
      return Optional.empty(); // alone on its GPU
    }
    @Nullable TrackedPod pod = term.pods().find(grant.key());
    if (pod == null
        || !(pod.latest().request() instanceof Colocatable request)
        || !request.workload().isServer()) {
      return Optional.empty();
    }
    Instant started =
        grant.state() instanceof PodGrant.Observed observed ? observed.startedAt() : null;
    return Optional.of(
        new EngineStarts.Server(
            grant.key(),
            grant.pod().toString(),
            grant.grantedAt(),
            started,
            taken(grant, request),
            others(grant)));
  }

  /** Sum of the upper memory bounds of the GPU's other grants. */
  private MemorySize others(PodGrant grant) {
    return term.ledger().on(grant.gpus().getFirst()).stream()
        .filter(other -> !other.key().equals(grant.key()))
        .map(other -> other.admitted().grants().getFirst().prediction())
        .filter(Objects::nonNull)
        .map(prediction -> prediction.peakMemory().upper())
        .reduce(MemorySize.ZERO, MemorySize::plus);
  }

  /**
   * What a server takes: no more than its pod declares, which a product may enforce. What a grant
   * reserves may be more than that, as a bound or as declared.
   */
  private MemorySize taken(PodGrant grant, Colocatable request) {
    @Nullable Prediction prediction = grant.admitted().grants().getFirst().prediction();
    if (prediction == null) {
      return MemorySize.ZERO;
    }
    @Nullable EngineMemory engine = prediction.engine();
    MemorySize takes = engine == null ? prediction.peakMemory().mean() : engine.takes();
    MemorySize declared =
        term.cluster()
            .gpus()
            .find(grant.gpus().getFirst())
            .flatMap(gpu -> request.declaredMemory().map(memory -> memory.on(gpu.capacity())))
            .orElse(takes);
    return declared.isAtMost(takes) ? declared : takes;
  }
}
