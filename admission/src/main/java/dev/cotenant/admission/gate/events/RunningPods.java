package dev.cotenant.admission.gate.events;

import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.port.GatePorts;
import dev.cotenant.admission.gate.state.Term;
import dev.cotenant.admission.gate.state.TrackedPod;
import dev.cotenant.admission.gate.write.OutOfMemory;
import dev.cotenant.admission.inventory.Claims;
import dev.cotenant.admission.inventory.GrantReader;
import dev.cotenant.admission.inventory.GrantReader.Read;
import dev.cotenant.admission.inventory.GrantTrust;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.report.StatusReport;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.prediction.GraphRun;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.MemorySize;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The grants of ungated pods, by their annotations. */
final class RunningPods {
  private final GatePorts ports;
  private final Term term;
  private final GrantReader reader;
  private final GrantTrust trusted;
  private final OutOfMemory outOfMemory;
  private final ForeignPods foreign;

  /** Annotations have utilization in tenths of a percent and memory in MiB, rounded up. */
  private static final double ANNOTATED_PERCENT = 0.1 + 1e-9;

  private static final double ANNOTATED_MEBIBYTES = 1;

  /** Pods with unreadable grants, by uid. */
  private final Map<String, TrackedPod> distrusted = new TreeMap<>();

  RunningPods(GatePorts ports, Term term, GrantTrust trusted, OutOfMemory outOfMemory) {
    this.ports = ports;
    this.term = term;
    this.trusted = trusted;
    this.outOfMemory = outOfMemory;
    this.reader = term.cluster().reader(ports.predictor());
    this.foreign = new ForeignPods(term, trusted);
  }

  /** Adds the GPUs that the grant of a pod names to the inventory. */
  void nameGpus(WatchedPod pod) {
    if (pod.isLive() && !pod.hasOurGate() && trusted.trusts(pod)) {
      reader.name(pod);
    }
  }

  /** Pods whose grants could not be read. */
  List<TrackedPod> unreadable() {
    distrusted
        .values()
        .removeIf(pod ->
            term.pods().find(pod.uid()) == null || term.ledger().find(pod.uid()).isPresent());
    return List.copyOf(distrusted.values());
  }

  /** Updates the ledger by the state of a pod that is neither gated nor released. */
  void settle(TrackedPod pod, WatchedPod state) {
    @Nullable PodGrant grant = term.ledger().find(pod.uid()).orElse(null);
    if (grant != null && grant.isNomination()) {
      term.ledger().release(grant.key()); // another scheduler bound it
      grant = null;
    }
    boolean contradicted =
        grant != null && (pod.isElsewhereThan(grant) || hasOtherGrant(state, grant));
    boolean unread = grant == null || grant.state() instanceof PodGrant.Allocated || contradicted;
    if (unread && state.isLive()) {
      grant = reread(pod, state, grant);
    }
    if (grant == null) {
      foreign.settle(state);
      return;
    }
    PodGrant.State now = grant.state().startedAt(state.life().startedAt());
    if (state.scheduling().node() == null && Claims.named(state).isPresent()) {
      term.awaitClaim(pod.uid());
    }
    if (!now.equals(grant.state()) && state.isLive()) {
      term.ledger().allocate(grant.in(now));
    }
    if (state.life().outOfMemory()) {
      outOfMemory.noticed(pod, grant, capacity(grant));
    }
  }

  /** Capacity of the grant's first GPU; zero if the GPU is no longer known. */
  private MemorySize capacity(PodGrant grant) {
    return term.cluster()
        .gpus()
        .find(grant.gpus().getFirst())
        .map(GpuSnapshot::capacity)
        .orElse(MemorySize.ZERO);
  }

  /**
   * Whether a pod with a reservation has annotations of another grant: an earlier leader may have
   * ungated it elsewhere without persisting that.
   */
  private boolean hasOtherGrant(WatchedPod state, PodGrant grant) {
    @Nullable String assigned = state.annotations().get(CotenantAnnotations.ASSIGNED_GPU);
    if (assigned == null || term.ledger().reserved(state.uid()) == null) {
      return false;
    }
    return !assigned.equals(String.join(",", grant.gpus()))
        || (reader.read(state, ports.policies().get()) instanceof Read.Granted(PodGrant found)
            && !isOf(state, grant, found));
  }

  /** Reads the grant anew; drops the reservation where the grant is another. */
  private @Nullable PodGrant reread(TrackedPod pod, WatchedPod state, @Nullable PodGrant before) {
    @Nullable PodGrant found = readGrant(pod, state, before);
    if (before != null && (found == null || !found.gpus().equals(before.gpus()))) {
      term.ledger().dropAdmissionId(pod.uid());
    }
    return found;
  }

  /** Reads the grant of this term, whose answer is outstanding, or of an earlier one. */
  private @Nullable PodGrant readGrant(
      TrackedPod pod, WatchedPod state, @Nullable PodGrant expected) {
    return switch (read(state, expected)) {
      case Read.Granted(PodGrant found) -> {
        PodGrant grant = expected != null && isOf(state, expected, found) ? expected : found;
        term.ledger().allocate(state, grant.in(new PodGrant.Bound()));
        yield grant;
      }
      case Read.Nothing _ -> {
        dropExpected(expected);
        yield null;
      }
      case Read.Broken(String why) -> {
        dropExpected(expected);
        distrust(pod, why);
        yield null;
      }
    };
  }

  /** Reads the annotations; an expected grant needs no trust. */
  private Read read(WatchedPod state, @Nullable PodGrant expected) {
    Read read =
        expected != null || trusted.trusts(state)
            ? reader.read(state, ports.policies().get())
            : new Read.Nothing();
    boolean expectedSo =
        expected != null && read instanceof Read.Granted(PodGrant found) && isSame(expected, found);
    @Nullable String whyNot = expectedSo ? null : trusted.whyNot(state);
    boolean claims = state.annotations().containsKey(CotenantAnnotations.ASSIGNED_GPU);
    return whyNot != null && claims ? new Read.Broken(whyNot) : read;
  }

  private void dropExpected(@Nullable PodGrant expected) {
    if (expected != null) {
      term.ledger().release(expected.key());
    }
  }

  private static boolean isSame(PodGrant expected, PodGrant found) {
    return expected.gpus().equals(found.gpus())
        && expected.extent() == found.extent()
        && expected.grantedAt().equals(found.grantedAt())
        && !exceeds(found, expected);
  }

  /**
   * Whether a pod's grant is the expected one. Where it took a reservation, an earlier leader may
   * have granted other terms at the same instant: those of its own model, a trial, or time alone.
   */
  private boolean isOf(WatchedPod state, PodGrant expected, PodGrant found) {
    return isSame(expected, found)
        && (term.ledger().reserved(state.uid()) == null || hasSameTerms(expected, found));
  }

  private static boolean hasSameTerms(PodGrant expected, PodGrant found) {
    return run(expected).equals(run(found))
        && expected.profileTime().equals(found.profileTime())
        && expected.risk().exploration().isOne() == found.risk().exploration().isOne();
  }

  private static Optional<GraphRun> run(PodGrant grant) {
    return Optional.ofNullable(grant.admitted().grants().getFirst().prediction())
        .flatMap(Prediction::run)
        .map(GraphRun::withoutMeasuredLoad);
  }

  /**
   * Whether a grant is more than the other beyond the rounding of annotations: a pod that takes a
   * reservation may be granted what itself requests at the same instant.
   */
  private static boolean exceeds(PodGrant grant, PodGrant other) {
    @Nullable Prediction more = grant.admitted().grants().getFirst().prediction();
    @Nullable Prediction less = other.admitted().grants().getFirst().prediction();
    return more != null
        && less != null
        && (more.utilization().upper().percent()
                > less.utilization().upper().percent() + ANNOTATED_PERCENT
            || more.peakMemory().upper().toMiB()
                > less.peakMemory().upper().toMiB() + ANNOTATED_MEBIBYTES);
  }

  private void distrust(TrackedPod pod, String why) {
    if (distrusted.put(pod.uid(), pod) == null) {
      ports.listener().distrusted(pod.latest(), why);
      ports
          .cluster()
          .report(
              pod.latest(),
              StatusReport.warning("GrantUnreadable", why + "; its usage counts as unattributed"));
    }
  }
}
