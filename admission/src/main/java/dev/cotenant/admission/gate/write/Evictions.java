package dev.cotenant.admission.gate.write;

import dev.cotenant.admission.cluster.ClusterWriter.EvictionResult;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.port.GateListener.Preempted;
import dev.cotenant.admission.gate.port.GatePorts;
import dev.cotenant.admission.gate.port.GateSettings;
import dev.cotenant.admission.gate.state.Due;
import dev.cotenant.admission.gate.state.Preemption;
import dev.cotenant.admission.gate.state.Term;
import dev.cotenant.admission.gate.state.TrackedPod;
import dev.cotenant.admission.report.StatusReport;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Evicts the victims of preemptions, one at a time for each preemptor.
 *
 * <p>If a PodDisruptionBudget protects a victim, or the API server refuses, the preemption ends;
 * the next search excludes that pod for a while. Where there was no answer, the same eviction is
 * sent again, unless the pod terminates meanwhile.
 */
public final class Evictions {
  /** Time for which a pod with a PodDisruptionBudget in the way is no victim. */
  private static final Duration PROTECTED = Duration.ofSeconds(30);

  /** Time for which a pod whose victims cannot be evicted does not preempt. */
  private static final Duration PAUSE = Duration.ofMinutes(10);

  private final GatePorts ports;
  private final GateSettings settings;
  private final Term term;
  private final Writes writes;

  public Evictions(GatePorts ports, GateSettings settings, Term term, Writes writes) {
    this.ports = ports;
    this.settings = settings;
    this.term = term;
    this.writes = writes;
  }

  /** Evicts the next victim, unless the answer to another eviction is outstanding. */
  public void advance(Preemption preemption, Instant now, Due due) {
    if (preemption.isEvicting()) {
      return;
    }
    if (now.isBefore(preemption.notBefore())) {
      due.at(preemption.notBefore());
      return;
    }
    for (String uid : preemption.victims()) {
      @Nullable TrackedPod victim = term.pods().find(uid);
      if (victim != null
          && victim.latest().isLive()
          && !victim.latest().life().terminating()
          && !preemption.isEvicted(uid)) {
        evict(preemption, victim);
        return;
      }
    }
  }

  private void evict(Preemption preemption, TrackedPod victim) {
    int attempt = preemption.evict(victim.uid());
    ports
        .cluster()
        .evict(
            victim.latest(),
            result -> writes.later(() -> evicted(preemption, victim, attempt, result)));
  }

  private void evicted(
      Preemption preemption, TrackedPod victim, int attempt, EvictionResult result) {
    WatchedPod pod = victim.latest();
    Instant now = ports.clock().instant();
    switch (result) {
      case EvictionResult.Evicted _ -> {
        preemption.answered(victim.uid());
        ports.listener().preempted(pod, Preempted.EVICTED);
        ports.cluster().report(pod, StatusReport.warning("Preempted", why(preemption, victim)));
      }
      case EvictionResult.Gone _ -> preemption.answered(victim.uid());
      case EvictionResult.Blocked(String why) -> {
        term.preemptions().protect(victim.uid(), now.plus(PROTECTED));
        giveUp(preemption, victim, why);
        ports.listener().preempted(pod, Preempted.BLOCKED);
      }
      case EvictionResult.Unknown(String why) -> {
        ports.listener().writeFailed(pod, why);
        preemption.retry(now.plus(settings.backOff(attempt)));
      }
      case EvictionResult.Refused(String why) -> {
        ports.listener().writeFailed(pod, why);
        term.preemptions().pause(preemption.preemptor(), now.plus(PAUSE));
        giveUp(preemption, victim, why);
        ports.listener().preempted(pod, Preempted.REFUSED);
      }
    }
  }

  private void giveUp(Preemption preemption, TrackedPod victim, String why) {
    if (!term.preemptions().isUnderWay(preemption)) {
      return;
    }
    term.preemptions().end(preemption.preemptor());
    @Nullable TrackedPod preemptor = term.pods().find(preemption.preemptor());
    if (preemptor != null) {
      ports
          .cluster()
          .report(
              preemptor.latest(),
              StatusReport.warning(
                  "PreemptionBlocked", victim.latest().pod() + " was not evicted: " + why));
    }
  }

  private String why(Preemption preemption, TrackedPod victim) {
    @Nullable TrackedPod preemptor = term.pods().find(preemption.preemptor());
    String priority =
        preemptor == null ? "" : " of priority " + preemptor.latest().scheduling().priority();
    return "evicted with priority "
        + victim.latest().scheduling().priority()
        + " for "
        + preemption.hold().pod()
        + priority
        + ", which gets "
        + String.join(", ", preemption.hold().gpus())
        + " of "
        + preemption.hold().node();
  }
}
