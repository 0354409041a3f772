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
import dev.cotenant.admission.guard.Incident;
import dev.cotenant.admission.guard.Incident.Move;
import dev.cotenant.admission.guard.Sample;
import dev.cotenant.admission.guard.Signal;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.report.StatusReport;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.MemoryOutlook;
import dev.cotenant.domain.decision.SharingLimits;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Does what the guard finds [{@link GuardState}]: reports it, closes the GPU, and evicts the pod
 * that came last, where policy and annotation let it.
 *
 * <p>What was found is persisted before it is acted on, so that a later leader neither repeats it
 * nor forgets it. An eviction that was counted and not answered is sent again, by a later leader
 * too; repeated evictions of one pod are harmless.
 */
public final class Guarding {
  /** Time until an eviction is tried again that a PodDisruptionBudget or no answer prevented. */
  private static final Duration AGAIN = Duration.ofMinutes(1);

  /** Used memory fluctuates by less. */
  private static final double MEMORY_DEAD_BAND = 0.01;

  private final GatePorts ports;
  private final Term term;
  private final LeaderStateWriter stateWriter;
  private final Writes writes;

  /** Incidents whose eviction may be sent from this time on. */
  private final Map<Incident.Cause, Instant> due = new HashMap<>();

  private final Set<Incident.Cause> inFlight = new HashSet<>();

  /** Incidents of which it was reported that the eviction has to wait. */
  private final Set<Incident.Cause> delayed = new HashSet<>();

  public Guarding(GatePorts ports, Term term, LeaderStateWriter stateWriter, Writes writes) {
    this.ports = ports;
    this.term = term;
    this.stateWriter = stateWriter;
    this.writes = writes;
  }

  /** Goes on where the last leader ended, once all grants are known. */
  public void open() {
    set(GuardState.of(stateWriter.guard()));
    Instant now = ports.clock().instant();
    guard().planned().forEach(incident -> due.put(incident.cause(), now));
  }

  private GuardState guard() {
    return term.neighbourhoods().guard();
  }

  private void set(GuardState next) {
    term.neighbourhoods().guard(next);
  }

  /** Counts the memory of shared GPUs, of the pod that is there longest. */
  public void measured(ClusterSnapshot readings) {
    List<Sample> samples = new ArrayList<>();
    for (GpuSnapshot gpu : readings.gpus()) {
      if (gpu.memory() instanceof MemoryOutlook.Measured measured) {
        List<PodGrant> there = term.ledger().on(gpu.uuid());
        there.stream()
            .filter(grant -> there.size() > 1 && grant.state() instanceof PodGrant.Observed)
            .min(Comparator.comparing(PodGrant::grantedAt).thenComparing(PodGrant::key))
            .ifPresent(first -> samples.add(memory(gpu, measured, first, readings.takenAt())));
      }
    }
    count(samples);
  }

  private Sample memory(
      GpuSnapshot gpu, MemoryOutlook.Measured measured, PodGrant first, Instant takenAt) {
    SharingLimits limits =
        ports.policies().get().of(first.pod().namespace()).limits().on(gpu.device().id());
    double gib = 1L << 30;
    return new Sample(
        first.key(),
        Signal.MEMORY,
        measured.lastUsed().bytes() / gib,
        gpu.capacity().bytes() * (1 - limits.memoryHeadroomFraction()) / gib,
        MEMORY_DEAD_BAND,
        takenAt.minus(measured.age()));
  }

  /** Counts measurements, and notes what follows. */
  public void count(List<Sample> samples) {
    if (samples.isEmpty() && guard().watched().isEmpty()) {
      return;
    }
    Set<String> uids = new HashSet<>(guard().watched());
    samples.forEach(sample -> uids.add(sample.uid()));
    Instant now = ports.clock().instant();
    GuardState.Step step = guard().step(samples, term.neighbourhoods().of(uids), now);
    set(step.next());
    if (step.found().isEmpty()) {
      stateWriter.guard(step.next().notes());
    } else {
      stateWriter.guard(step.next().notes(), () -> act(step.found()));
    }
  }

  private void act(List<Incident> found) {
    Instant now = ports.clock().instant();
    for (Incident incident : found) {
      @Nullable TrackedPod victim = term.pods().find(incident.cause().victim());
      if (victim != null) {
        ports.listener().guarded(victim.latest(), incident);
        ports.cluster().report(victim.latest(), StatusReport.warning("Slowed", sentence(incident)));
      }
      if (incident.move() == Move.PLANNED) {
        due.put(incident.cause(), now);
      }
    }
  }

  private String sentence(Incident incident) {
    String unit =
        switch (incident.cause().signal()) {
          case SLOWDOWN -> "slowdown %.2f, promised at most %.2f";
          case LATENCY -> "latency %.4g s, objective %.4g s";
          case MEMORY -> "its GPU uses %.1f GiB, the limit of all its pods is %.1f GiB";
        };
    @Nullable TrackedPod newcomer = term.pods().find(incident.cause().newcomer());
    String last = newcomer == null ? "a pod that left" : newcomer.latest().pod().toString();
    return String.format(Locale.ROOT, unit, incident.value(), incident.limit())
        + " on "
        + incident.gpu()
        + "; last came "
        + last
        + ": "
        + consequence(incident);
  }

  private static String consequence(Incident incident) {
    if (!incident.isClosed()) {
      return "reported alone, by the policy";
    }
    return "no further pods get onto the GPU, the pair is remembered, "
        + switch (incident.move()) {
          case STAYS -> "and all stay";
          case OVER_BUDGET -> "and all stay, since the evictions of this hour are used up";
          case PLANNED, ANOTHER, EVICTED, REFUSED -> "and it is evicted";
        };
  }

  /** Forgets what is over, and evicts who is to be evicted. */
  public void advance(Instant now, Due nextCycle) {
    if (!guard().notes().incidents().isEmpty()) {
      count(List.of());
    }
    for (Incident incident : guard().planned()) {
      @Nullable Instant at = due.get(incident.cause());
      if (at == null || inFlight.contains(incident.cause())) {
        continue; // not persisted yet, or not answered
      }
      if (now.isBefore(at)) {
        nextCycle.at(at);
      } else {
        evict(incident);
      }
    }
    due.keySet().removeIf(cause -> guard().notes().find(cause).isEmpty());
    delayed.retainAll(due.keySet());
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
        ports.cluster().report(pod, StatusReport.warning("NotMoved", "was not evicted: " + why));
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
    guard()
        .notes()
        .find(incident.cause())
        .ifPresent(known -> {
          set(guard().with(guard().notes().with(known.moved(outcome))));
          stateWriter.guard(guard().notes(), () -> {});
        });
  }
}
