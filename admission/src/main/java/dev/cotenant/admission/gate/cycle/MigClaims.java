package dev.cotenant.admission.gate.cycle;

import dev.cotenant.admission.cluster.ClusterWriter.DeviceClaim;
import dev.cotenant.admission.cluster.ClusterWriter.WriteResult;
import dev.cotenant.admission.cluster.PublishedDevices.MigProfile;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.port.GatePorts;
import dev.cotenant.admission.gate.state.Refusal;
import dev.cotenant.admission.gate.state.Term;
import dev.cotenant.admission.gate.state.TrackedPod;
import dev.cotenant.admission.gate.write.Writes;
import dev.cotenant.admission.inventory.MigProfiles;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
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
  /** Of NVIDIA's driver. */
  private static final String DEVICE_CLASS = "mig.nvidia.com";

  private static final String ATTRIBUTES = "device.attributes['gpu.nvidia.com'].";

  /** The hardware enforces the memory of an instance. */
  private static final Coverage LEVEL = Coverage.of(0.99);

  private final GatePorts ports;
  private final Term term;
  private final Deciding deciding;
  private final Granting granting;
  private final Writes writes;

  /** Why each pod whose claim is made is ungated, or why its claim was refused, by uid. */
  private final Map<String, Outcome> outcomes = new HashMap<>();

  private sealed interface Outcome {
    record Made(String why) implements Outcome {}

    record Refused(String why) implements Outcome {}
  }

  MigClaims(GatePorts ports, Term term, Deciding deciding, Granting granting, Writes writes) {
    this.ports = ports;
    this.term = term;
    this.deciding = deciding;
    this.granting = granting;
    this.writes = writes;
  }

  /** Whether a pod is given a MIG device, which it is from now on; else it is decided on. */
  boolean take(QueuedPod queued, Colocatable request) {
    TrackedPod pod = queued.pod();
    switch (outcomes.get(pod.uid())) {
      case Outcome.Made(String why) -> granting.ungate(queued, why);
      case Outcome.Refused(String why) -> pod.refuse(Refusal.of(new Reason.GrantRefused(why)));
      case null -> {
        @Nullable String name =
            queued.state().annotations().get(CotenantAnnotations.RESOURCE_CLAIM);
        MigProfile smallest = name == null ? null : smallest(request).orElse(null);
        if (name == null || smallest == null) {
          return false;
        }
        if (pod.makeClaim()) {
          claim(pod, queued.state(), name, smallest);
        }
      }
    }
    return true;
  }

  private Optional<MigProfile> smallest(Colocatable request) {
    Policy policy = deciding.policy(request);
    if (policy.gpuAssignment() != Policy.GpuAssignment.DRA
        || !(policy.claimSharing() instanceof ClaimSharing.Mig)
        || request.gpu().gpus() != 1) {
      return Optional.empty();
    }
    MigProfiles published = term.cluster().migProfiles();
    Map<DeviceId, Prediction> predictions = deciding.bounded(request, published.devices(), LEVEL);
    return published.smallest(predictions, LEVEL);
  }

  private void claim(TrackedPod pod, WatchedPod state, String name, MigProfile profile) {
    String expression =
        ATTRIBUTES
            + "profile == '"
            + profile.profile()
            + "' && "
            + ATTRIBUTES
            + "productName == '"
            + profile.product()
            + "'";
    DeviceClaim wanted = new DeviceClaim(DEVICE_CLASS, expression, 1, new ClaimSharing.Mig(), null);
    String why =
        "MigDevice: "
            + profile.profile()
            + " of "
            + profile.product()
            + " is the smallest that holds it in "
            + LEVEL
            + " of cases; the scheduler selects one";
    ports
        .cluster()
        .claim(state, name, wanted, written -> writes.later(() -> claimed(pod, why, written)));
  }

  private void claimed(TrackedPod pod, String why, WriteResult written) {
    outcomes.keySet().removeIf(uid -> term.pods().find(uid) == null);
    switch (written) {
      case WriteResult.Done _ -> outcomes.put(pod.uid(), new Outcome.Made(why));
      case WriteResult.Gone _ -> {}
      case WriteResult.Conflict _, WriteResult.Unknown _ -> pod.remakeClaim();
      case WriteResult.Refused(String refusal) -> {
        outcomes.put(pod.uid(), new Outcome.Refused(refusal));
        ports.listener().writeFailed(pod.latest(), refusal);
        ports.cluster().report(pod.latest(), StatusReport.warning("ClaimRefused", refusal));
      }
    }
  }
}
