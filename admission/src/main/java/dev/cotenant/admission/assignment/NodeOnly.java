package dev.cotenant.admission.assignment;

import dev.cotenant.admission.ledger.PodGrant.Extent;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.domain.decision.Decision;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** By the node selector alone. */
final class NodeOnly implements GpuAssignment {
  static final NodeOnly INSTANCE = new NodeOnly();

  private NodeOnly() {}

  @Override
  public boolean choosesGpu() {
    return false;
  }

  @Override
  public Optional<String> whyNot(Extent extent, int gpus, NodeUse use) {
    if (canShare(gpus)) {
      return Optional.empty();
    }
    return switch (extent) {
      case SHARE ->
          Optional.of(
              "has " + gpus + " GPUs, and GPU assignment node-only cannot select one of them");
      case WHOLE ->
          use == NodeUse.BY_GPU
              ? Optional.of("has GPUs that are shared, and the kubelet could choose one of them")
              : Optional.empty();
    };
  }

  @Override
  public Map<String, String> annotations(Colocatable pod, Decision.Admitted granted) {
    return Map.of();
  }

  @Override
  public List<String> warnings(Colocatable pod, Decision.Admitted granted) {
    return List.of();
  }
}
