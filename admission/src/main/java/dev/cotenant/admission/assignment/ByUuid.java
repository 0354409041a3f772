package dev.cotenant.admission.assignment;

import dev.cotenant.admission.ledger.PodGrant.Extent;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Grant;
import java.util.Optional;
import java.util.stream.Collectors;

/** What adapters have in common that choose GPUs by uuid. */
abstract class ByUuid implements GpuAssignment {
  @Override
  public final boolean choosesGpu() {
    return true;
  }

  @Override
  public final Optional<String> whyNot(Extent extent, int gpus, NodeUse use) {
    return use == NodeUse.BY_COUNT && gpus > 1
        ? Optional.of("has pods whose GPUs only the kubelet knows")
        : Optional.empty();
  }

  static String uuids(Decision.Admitted granted) {
    return granted.grants().stream().map(Grant::gpuUuid).collect(Collectors.joining(","));
  }
}
