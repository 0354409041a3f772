package dev.cotenant.admission.gate.write;

import dev.cotenant.admission.cluster.ClusterWriter.EvictionResult;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.persistence.LeaderStateWriter;
import dev.cotenant.admission.gate.port.GateListener.Moved;
import dev.cotenant.admission.gate.port.GatePorts;
import dev.cotenant.admission.gate.state.Due;
import dev.cotenant.admission.gate.state.Term;
import dev.cotenant.admission.gate.state.TrackedPod;
import dev.cotenant.admission.guard.GuardState;
import dev.cotenant.admission.guard.GuardedPod;
import dev.cotenant.admission.guard.Incident;
import dev.cotenant.admission.guard.Incident.Move;
import dev.cotenant.admission.guard.Sample;
import dev.cotenant.admission.guard.Signal;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.report.StatusReport;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.MemoryObservation;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.quantity.MemorySize;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Does what the guard finds [{@link GuardState}]: reports it, closes the GPU, and evicts the most
 * recently granted pod, where policy and annotation let it.
 *
 * <p>Findings are persisted before any action, so that a later leader neither repeats nor forgets
 * them. An eviction that was counted and not answered is sent again as long as fresh samples
 * confirm it, by a later leader too; repeated evictions of one pod are harmless.
 */
public final class Guarding {
  /** Time until an eviction is tried again that a PodDisruptionBudget or no answer prevented. */
  private static final Duration AGAIN = Duration.ofMinutes(1);

  /** Used memory fluctuates by less, as a share of the capacity. */
  private static final double MEMORY_DEAD_BAND = 0.005;

  /** The largest limit of used memory, as a share of the capacity. */
  private static final double MAX_MEMORY = 0.99;

  private final GatePorts ports;
  private final Term term;
  private final LeaderStateWriter stateWriter;
  private final Writes writes;

  /** Earliest time of an incident's eviction. */
  private final Map<Incident.Cause, Instant> due = new HashMap<>();

  private final Set<Incident.Cause> inFlight = new HashSet<>();

  /** Incidents whose delayed eviction was reported. */
  private final Set<Incident.Cause> delayed = new HashSet<>();

  public Guarding(GatePorts ports, Term term, LeaderStateWriter stateWriter, Writes writes) {
    this.ports = ports;
    this.term = term;
    this.stateWriter = stateWriter;
    this.writes = writes;
  }

  /**
   * Goes on where the last leader ended, once all grants are known. Evictions that the last leader
   * may have sent count as of now; repeating them requires samples of this term.
   */
  public void open() {
    Instant now = ports.clock().instant();
    GuardState opened = GuardState.of(stateWriter.guard());
    List<String> maybeSent = new ArrayList<>();
    for (Incident incident : opened.planned()) {
      due.put(incident.cause(), now);
      maybeSent.add(incident.cause().newcomer());
    }
    note(opened.with(opened.notes().counted(maybeSent, now)));
  }

  private void note(GuardState next) {
    set(next);
    stateWriter.guard(next.notes());
  }

  private GuardState guard() {
    return term.neighbourhoods().guard();
  }

  private void set(GuardState next) {
    term.neighbourhoods().guard(next);
  }

  /** Counts the memory of shared GPUs, of the pod that runs there and was granted first. */
  public void measured(ClusterSnapshot readings) {
    List<Sample> samples = new ArrayList<>();
    for (GpuSnapshot gpu : readings.gpus()) {
      if (gpu.memory() instanceof MemoryObservation.Measured measured) {
        List<PodGrant> there =
            term.ledger().on(gpu.uuid()).stream()
                .filter(grant -> grant.state() instanceof PodGrant.Observed)
                .sorted(Comparator.comparing(PodGrant::grantedAt).thenComparing(PodGrant::key))
                .toList();
        if (there.size() > 1) {
          memory(gpu, measured, there.getFirst(), readings.takenAt()).ifPresent(samples::add);
        }
      }
    }
    count(samples);
  }

  /** The limit stays below the capacity by more than the noise, regardless of the headroom. */
  private Optional<Sample> memory(
      GpuSnapshot gpu, MemoryObservation.Measured measured, PodGrant first, Instant takenAt) {
    SharingLimits limits =
        ports.policies().get().of(first.pod().namespace()).limits().on(gpu.device().id());
    double capacity = gpu.capacity().bytes() / (double) MemorySize.GIB;
    double limit = capacity * Math.min(MAX_MEMORY, 1 - limits.memoryHeadroomFraction());
    double band = MEMORY_DEAD_BAND * capacity;
    return limit <= band
        ? Optional.empty()
        : Optional.of(
            new Sample(
                first.key(),
                Signal.MEMORY,
                measured.lastUsed().bytes() / (double) MemorySize.GIB,
                limit,
                band / limit,
                takenAt.minus(measured.age())));
  }

  /** Counts measurements, and notes what follows. */
  public void count(List<Sample> samples) {
    Instant now = ports.clock().instant();
    if (samples.isEmpty() && !guard().isDue(now)) {
      return;
    }
    Set<String> uids = guard().victims();
    samples.forEach(sample -> uids.add(sample.uid()));
    GuardState.Step step = guard().step(samples, term.neighbourhoods().of(uids), now);
    note(step.next());
    if (!step.found().isEmpty() || !step.planned().isEmpty()) {
      stateWriter.guard(step.next().notes(), () -> act(step));
    }
  }

  private void act(GuardState.Step step) {
    Instant now = ports.clock().instant();
    step.planned().forEach(incident -> due.put(incident.cause(), now));
    for (Incident incident : step.found()) {
      @Nullable TrackedPod victim = term.pods().find(incident.cause().victim());
      if (victim != null) {
        ports.listener().guarded(victim.latest(), incident);
        ports
            .cluster()
            .report(victim.latest(), StatusReport.warning("ObjectiveViolated", sentence(incident)));
      }
      if (incident.move() == Move.PLANNED) {
        due.put(incident.cause(), now);
      }
    }
  }

  private String sentence(Incident incident) {
    String unit =
        switch (incident.cause().signal()) {
          case SLOWDOWN -> "slowdown %.2f, limit %.2f";
          case LATENCY -> "latency %.4g s, objective %.4g s";
          case RATE -> "request rate %.4g/s, granted for %.4g/s";
          case MEMORY -> "its GPU uses %.1f GiB, the limit of all its pods is %.1f GiB";
        };
    @Nullable TrackedPod newcomer = term.pods().find(incident.cause().newcomer());
    String last = newcomer == null ? "a pod that has ended" : newcomer.latest().pod().toString();
    return String.format(Locale.ROOT, unit, incident.value(), incident.limit())
        + " on "
        + incident.gpu()
        + "; most recently granted pod: "
        + last
        + ": "
        + consequence(incident);
  }

  private static String consequence(Incident incident) {
    if (!incident.isClosed()) {
      return "the policy only reports";
    }
    if (incident.cause().signal() == Signal.RATE) {
      return "the GPU is closed to further pods; state the actual rate";
    }
    return "the GPU takes no further pods, the pair has anti-affinity, and that pod is "
        + switch (incident.move()) {
          case OBSERVED, STAYS -> "not evicted";
          case OVER_BUDGET -> "not evicted, since the evictions of this hour are used up";
          case PLANNED, ANOTHER, EVICTED, REFUSED -> "evicted";
        };
  }

  /** Drops expired entries, and sends planned evictions that are still justified. */
  public void advance(Instant now, Due nextCycle) {
    count(List.of());
    for (Incident incident : guard().planned()) {
      @Nullable Instant at = due.get(incident.cause());
      if (at == null || inFlight.contains(incident.cause())) {
        continue; // not persisted yet, or not answered
      }
      if (now.isBefore(at)) {
        nextCycle.at(at);
      } else if (isConfirmed(incident, now)) {
        evict(incident);
      }
    }
    due.keySet().removeIf(cause -> guard().notes().find(cause).isEmpty());
    delayed.retainAll(due.keySet());
  }

  private boolean isConfirmed(Incident incident, Instant now) {
    List<GuardedPod> there =
        term.neighbourhoods()
            .of(List.of(incident.cause().victim()))
            .getOrDefault(incident.gpu(), List.of());
    return guard().isConfirmed(incident, there, now);
  }

  private void evict(Incident incident) {
    @Nullable TrackedPod newcomer = term.pods().find(incident.cause().newcomer());
    if (newcomer == null || newcomer.latest().life().terminating()) {
      return;
    }
    inFlight.add(incident.cause());
    ports
        .cluster()
        .evict(
            newcomer.latest(), result -> writes.later(() -> evicted(newcomer, incident, result)));
  }

  private void evicted(TrackedPod newcomer, Incident incident, EvictionResult result) {
    inFlight.remove(incident.cause());
    Instant now = ports.clock().instant();
    note(guard().with(guard().notes().counted(List.of(newcomer.uid()), now)));
    WatchedPod pod = newcomer.latest();
    switch (result) {
      case EvictionResult.Evicted _ -> {
        answered(incident, Move.EVICTED);
        ports.listener().moved(pod, Moved.EVICTED);
        ports
            .cluster()
            .report(pod, StatusReport.warning("Moved", "evicted: " + sentence(incident)));
      }
      case EvictionResult.Gone _ -> answered(incident, Move.EVICTED);
      case EvictionResult.Blocked(String why) -> {
        ports.listener().moved(pod, Moved.BLOCKED);
        again(pod, incident, why);
      }
      case EvictionResult.Unknown(String why) -> {
        ports.listener().writeFailed(pod, why);
        again(pod, incident, why);
      }
      case EvictionResult.Refused(String why) -> {
        answered(incident, Move.REFUSED);
        ports.listener().moved(pod, Moved.REFUSED);
        if (delayed.add(incident.cause())) {
          ports.cluster().report(pod, StatusReport.warning("NotMoved", "was not evicted: " + why));
        }
      }
    }
  }

  /** One Event for each cause and term, however often it is tried. */
  private void again(WatchedPod pod, Incident incident, String why) {
    due.put(incident.cause(), ports.clock().instant().plus(AGAIN));
    if (delayed.add(incident.cause())) {
      ports
          .cluster()
          .report(
              pod,
              StatusReport.warning(
                  "NotMoved", "is not evicted yet, and it is tried again: " + why));
    }
  }

  private void answered(Incident incident, Move outcome) {
    note(guard().with(guard().notes().moved(incident.cause(), outcome)));
    stateWriter.flush(() -> {});
  }
}
