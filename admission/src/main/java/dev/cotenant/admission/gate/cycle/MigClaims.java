package dev.cotenant.admission.gate.cycle;

import dev.cotenant.admission.cluster.ClusterWriter.DeviceClaim;
import dev.cotenant.admission.cluster.ClusterWriter.WriteResult;
import dev.cotenant.admission.cluster.NodeMatch;
import dev.cotenant.admission.cluster.PublishedDevices.MigProfile;
import dev.cotenant.admission.fit.Needs;
import dev.cotenant.admission.gate.port.GatePorts;
import dev.cotenant.admission.gate.port.GateSettings;
import dev.cotenant.admission.gate.state.Refusal;
import dev.cotenant.admission.gate.state.Term;
import dev.cotenant.admission.gate.state.TrackedPod;
import dev.cotenant.admission.gate.write.Writes;
import dev.cotenant.admission.inventory.MigProfiles;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.policy.ClaimSharing;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.report.StatusReport;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.Coverage;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Claims of the smallest published MIG device that holds a pod. Which device of the profile it is,
 * and when one is free, is the scheduler's: it counts what partitions of a GPU consume. So the pod
 * gets no grant; its claim is made first, then it is ungated.
 */
final class MigClaims {
  private static final String ATTRIBUTES = "device.attributes['gpu.nvidia.com'].";

  /** The hardware enforces the memory of an instance. */
  private static final Coverage LEVEL = Coverage.of(0.99);

  private final GatePorts ports;
  private final GateSettings settings;
  private final Term term;
  private final Deciding deciding;
  private final Granting granting;
  private final Writes writes;

  /** What became of the claim of each pod, by uid. */
  private final Map<String, Claimed> claims = new HashMap<>();

  private sealed interface Claimed {
    /** The answer is outstanding. */
    record Sent(MigProfile profile) implements Claimed {}

    /** It may have been made, and is immutable: the same is sent again. */
    record Unsure(MigProfile profile, int failures) implements Claimed {}

    record Made(MigProfile profile) implements Claimed {}

    record Refused(String why, int failures) implements Claimed {}
  }

  MigClaims(
      GatePorts ports,
      GateSettings settings,
      Term term,
      Deciding deciding,
      Granting granting,
      Writes writes) {
    this.ports = ports;
    this.settings = settings;
    this.term = term;
    this.deciding = deciding;
    this.granting = granting;
    this.writes = writes;
  }

  /** Whether a pod is given a MIG device, which it is from now on; else it is decided on. */
  boolean take(QueuedPod queued, Subject subject) {
    @Nullable String name = queued.state().annotations().get(CotenantAnnotations.RESOURCE_CLAIM);
    @Nullable Claimed before = claims.get(queued.pod().uid());
    if (name == null) {
      return false;
    }
    switch (before) {
      case Claimed.Sent _ -> {}
      case Claimed.Made(MigProfile profile) -> granting.ungate(queued, why(profile));
      case Claimed.Unsure(MigProfile profile, int _) -> claim(queued, name, profile, before);
      case null, default -> {
        @Nullable MigProfile smallest = smallest(subject).orElse(null);
        if (smallest == null) {
          return false;
        }
        claim(queued, name, smallest, before);
      }
    }
    return true;
  }

  private Optional<MigProfile> smallest(Subject subject) {
    Policy policy = deciding.policy(subject.pod());
    if (policy.gpuAssignment() != Policy.GpuAssignment.DRA
        || !(policy.claimSharing() instanceof ClaimSharing.Mig)
        || subject.pod().gpu().gpus() != 1) {
      return Optional.empty();
    }
    MigProfiles published = term.cluster().migProfiles(node -> isEligible(node, subject.needs()));
    Map<DeviceId, Prediction> predictions =
        deciding.bounded(subject.pod(), published.devices(), LEVEL);
    return published.smallest(predictions, LEVEL);
  }

  private boolean isEligible(String node, Needs needs) {
    return !needs.avoided().containsKey(node)
        && term.cluster()
            .node(node)
            .filter(known -> NodeMatch.whyNot(needs.nodes(), known).isEmpty())
            .isPresent();
  }

  private void claim(QueuedPod queued, String name, MigProfile profile, @Nullable Claimed before) {
    String expression =
        ATTRIBUTES
            + "profile == '"
            + profile.profile()
            + "' && "
            + ATTRIBUTES
            + "productName == '"
            + profile.product()
            + "'";
    DeviceClaim wanted =
        new DeviceClaim(DeviceClaim.MIG, expression, 1, new ClaimSharing.Mig(), null);
    TrackedPod pod = queued.pod();
    claims.put(pod.uid(), new Claimed.Sent(profile));
    ports
        .cluster()
        .claim(
            queued.state(),
            name,
            wanted,
            written -> writes.later(() -> answered(pod, profile, before, written)));
  }

  private static String why(MigProfile profile) {
    return "MigDevice: "
        + profile.profile()
        + " of "
        + profile.product()
        + " is the smallest that holds it in "
        + LEVEL
        + " of cases; the scheduler selects one";
  }

  private void answered(
      TrackedPod pod, MigProfile profile, @Nullable Claimed before, WriteResult written) {
    claims.keySet().removeIf(uid -> term.pods().find(uid) == null);
    int failures =
        switch (before) {
          case Claimed.Unsure(MigProfile _, int earlier) -> earlier + 1;
          case Claimed.Refused(String _, int earlier) -> earlier + 1;
          case null, default -> 1;
        };
    switch (written) {
      case WriteResult.Done _ -> claims.put(pod.uid(), new Claimed.Made(profile));
      case WriteResult.Gone _, WriteResult.Conflict _, WriteResult.Unknown _ -> {
        claims.put(pod.uid(), new Claimed.Unsure(profile, failures));
        pause(pod, failures);
      }
      case WriteResult.Refused(String why) -> {
        claims.put(pod.uid(), new Claimed.Refused(why, failures));
        pause(pod, failures);
        refused(pod, why, before);
      }
    }
  }

  /** The reconciliation registers the end of the pause. */
  private void pause(TrackedPod pod, int failures) {
    pod.writes().pauseUntil(ports.clock().instant().plus(settings.backOff(failures)));
  }

  private void refused(TrackedPod pod, String why, @Nullable Claimed before) {
    pod.refuse(Refusal.of(new Reason.GrantRefused(why)));
    ports.listener().writeFailed(pod.latest(), why);
    boolean isNew =
        !(before instanceof Claimed.Refused(String earlier, int _)) || !why.equals(earlier);
    if (isNew) {
      ports.cluster().report(pod.latest(), StatusReport.warning("ClaimRefused", why));
    }
  }
}
