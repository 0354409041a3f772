package dev.cotenant.admission.gate.write;

import dev.cotenant.admission.assignment.ResourceClaims;
import dev.cotenant.admission.cluster.ClusterWriter.DeviceClaim;
import dev.cotenant.admission.cluster.ClusterWriter.WriteResult;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.port.GatePorts;
import dev.cotenant.admission.gate.state.TrackedPod;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.ledger.PodGrant.Extent;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.policy.ClaimSharing;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.report.StatusReport;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.quantity.MemorySize;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Creates the ResourceClaims of granted pods. */
final class DeviceClaims {
  private final GatePorts ports;
  private final Writes writes;

  DeviceClaims(GatePorts ports, Writes writes) {
    this.ports = ports;
    this.writes = writes;
  }

  /** Creates the ResourceClaim that selects the granted GPUs; an existing one is fine. */
  void make(TrackedPod pod, PodGrant grant) {
    WatchedPod state = pod.latest();
    @Nullable String name = state.annotations().get(CotenantAnnotations.RESOURCE_CLAIM);
    Policy policy = ports.policies().get().of(state.pod().namespace());
    boolean wanted = policy.gpuAssignment() == Policy.GpuAssignment.DRA;
    if (wanted && name != null && pod.makeClaim()) {
      DeviceClaim claim =
          new DeviceClaim(
              ResourceClaims.DEVICE_CLASS,
              ResourceClaims.expression(grant.admitted()),
              grant.gpus().size(),
              grant.extent() == Extent.SHARE ? policy.claimSharing() : new ClaimSharing.Unset(),
              memory(grant, policy));
      ports
          .cluster()
          .claim(state, name, claim, written -> writes.later(() -> claimed(pod, written)));
    }
  }

  /** Upper bound of the memory for a share by capacity; null for whole devices. */
  private static @Nullable MemorySize memory(PodGrant grant, Policy policy) {
    return grant.extent() == Extent.SHARE && policy.claimSharing() instanceof ClaimSharing.Capacity
        ? grant.admitted().grants().stream()
            .map(Grant::prediction)
            .filter(Objects::nonNull)
            .map(prediction -> prediction.peakMemory().upper())
            .max(MemorySize::compareTo)
            .orElse(null)
        : null;
  }

  private void claimed(TrackedPod pod, WriteResult written) {
    switch (written) {
      case WriteResult.Done _, WriteResult.Gone _ -> {}
      case WriteResult.Conflict _, WriteResult.Unknown _ -> pod.remakeClaim();
      case WriteResult.Refused(String why) -> {
        ports.listener().writeFailed(pod.latest(), why);
        ports.cluster().report(pod.latest(), StatusReport.warning("ClaimRefused", why));
      }
    }
  }
}
