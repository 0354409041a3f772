package dev.cotenant.admission.gate.state;

import dev.cotenant.admission.inventory.ForeignClaims;
import dev.cotenant.admission.inventory.Occupancy;
import dev.cotenant.admission.ledger.PodGrant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What holds for a term between two events:
 *
 * <ol>
 *   <li>a gated pod has our gate, a released one does not, and no pod is both;
 *   <li>a pod that is gone has no capacity;
 *   <li>a nomination belongs to a pod that is released, or whose release is in flight;
 *   <li>a gated pod has other capacity only while a write with it may be in flight, by a
 *       reservation, or by a preemption;
 *   <li>a grant in an in-flight write has its capacity;
 *   <li>every grant occupies GPUs, a nomination none for decisions on bindings;
 *   <li>only grants, known pods and ResourceClaims of others occupy GPUs;
 *   <li>a reservation has one holder, which owns its capacity;
 *   <li>one preemption at most is under way on a GPU, for a gated pod whose priority is higher than
 *       that of each victim.
 * </ol>
 */
final class TermInvariants {
  private final TrackedPods pods;
  private final GrantLedger ledger;
  private final Preemptions preemptions;
  private final Occupancy occupancy;

  TermInvariants(Term term, Occupancy occupancy) {
    this.pods = term.pods();
    this.ledger = term.ledger();
    this.preemptions = term.preemptions();
    this.occupancy = occupancy;
  }

  /** The broken ones, in words. */
  List<String> broken() {
    List<String> broken = new ArrayList<>();
    pods.all().forEach(pod -> check(pod, broken));
    pods.unbound().stream()
        .filter(pod -> pods.find(pod.uid()) != pod)
        .forEach(pod -> broken.add(pod.uid() + " is queued and not known"));
    ledger.all().forEach(grant -> check(grant, broken));
    checkOccupants(broken);
    checkHolders(broken);
    checkPreemptions(broken);
    return broken;
  }

  private void check(TrackedPod pod, List<String> broken) {
    String uid = pod.uid();
    boolean gated = pods.isGated(uid);
    boolean released = pods.isReleased(uid);
    if (gated && (released || !pod.isGated())) {
      broken.add(uid + " is in the queue and ungated");
    }
    if (released && pod.isGated()) {
      broken.add(uid + " is released and gated");
    }
    if (pods.isGone(uid)) {
      broken.add(uid + " is gone and known");
    }
    @Nullable PodGrant written = written(pod.writes().pending());
    @Nullable PodGrant held = ledger.find(uid).orElse(null);
    if (written != null && (held == null || !held.gpus().equals(written.gpus()))) {
      broken.add(uid + " may be granted " + written.gpus() + " by a write, and has " + held);
    }
    if (pod.writes().inFlight() == WriteState.InFlight.OWN_GRANT && held == null) {
      broken.add(uid + " may be granted capacity by a write, and has none");
    }
  }

  private static @Nullable PodGrant written(@Nullable PendingWrite write) {
    return write == null
        ? null
        : switch (write.purpose()) {
          case PendingWrite.UngateGranted(PodGrant grant, var _) -> grant;
          case PendingWrite.BindPod(var grant, var _, var _) -> grant;
          case PendingWrite.Release _,
              PendingWrite.UngateUnmanaged _,
              PendingWrite.Fence _,
              PendingWrite.Report _ ->
              null;
        };
  }

  private void check(PodGrant grant, List<String> broken) {
    String key = grant.key();
    if (pods.isGone(key)) {
      broken.add(key + " is gone and has " + grant.gpus());
    }
    boolean occupies = occupancy.isOccupant(key);
    boolean occupiesBound = occupancy.bound().isOccupant(key);
    if (!occupies || occupiesBound == grant.isNomination()) {
      broken.add(key + " is " + grant.state().name() + " and not counted as such");
    }
    @Nullable TrackedPod pod = pods.find(key);
    if (pod == null) {
      return;
    }
    @Nullable PendingWrite write = pod.writes().pending();
    boolean releasing = write != null && write.purpose() instanceof PendingWrite.Release;
    if (grant.isNomination()) {
      if (!pods.isReleased(key) && !releasing) {
        broken.add(key + " is nominated and its scheduler does not place it");
      }
    } else if (pods.isGated(key)
        && !pod.mayHaveUngateInFlight()
        && ledger.reserved(key) == null
        && !preemptions.isHold(grant)) {
      broken.add(key + " is gated and has " + grant.gpus());
    }
  }

  private void checkOccupants(List<String> broken) {
    for (String key : occupancy.keys()) {
      if (!ForeignClaims.isClaim(key) && ledger.find(key).isEmpty() && pods.find(key) == null) {
        broken.add(key + " is unknown and occupies GPUs");
      }
    }
  }

  private void checkPreemptions(List<String> broken) {
    Set<String> gpus = new HashSet<>();
    preemptions.all().stream()
        .filter(preemption -> preemptions.find(preemption.preemptor()) != null)
        .forEach(preemption -> {
          checkVictims(preemption, broken);
          if (!preemption.hold().gpus().stream().allMatch(gpus::add)) {
            broken.add(preemption.hold().gpus() + " have two preemptions");
          }
        });
  }

  private void checkVictims(Preemption preemption, List<String> broken) {
    @Nullable TrackedPod preemptor = pods.find(preemption.preemptor());
    if (preemptor == null || !preemptor.isGated()) {
      broken.add(preemption.preemptor() + " preempts and is not gated");
      return;
    }
    int priority = preemptor.latest().scheduling().priority();
    for (String victim : preemption.victims()) {
      @Nullable TrackedPod pod = pods.find(victim);
      if (pod != null && pod.latest().scheduling().priority() >= priority) {
        broken.add(victim + " is evicted for " + preemptor.uid() + " without lower priority");
      }
    }
  }

  private void checkHolders(List<String> broken) {
    Set<String> ids = new HashSet<>();
    ledger
        .holders()
        .forEach((uid, admissionId) -> {
          if (!ids.add(admissionId)) {
            broken.add("admission id " + admissionId + " has two holders");
          }
          if (ledger.find(uid).isEmpty() || ledger.find(admissionId).isPresent()) {
            broken.add(uid + " holds admission id " + admissionId + " and not its capacity alone");
          }
        });
  }
}
