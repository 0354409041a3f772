package dev.cotenant.placement.inss;

import dev.cotenant.domain.quantity.Share;
import dev.cotenant.placement.fleet.Unplaced;
import java.util.List;

/**
 * A placement without batches.
 *
 * @param gpus in the order of the plan
 * @param left services without a partition, and why
 */
record Proposal(List<Gpu> gpus, List<Unplaced> left) {
  Proposal {
    gpus = List.copyOf(gpus);
    left = List.copyOf(left);
  }

  /**
   * One GPU.
   *
   * @param device its kind
   * @param parts its partitions, at least one
   */
  record Gpu(String device, List<Part> parts) {
    Gpu {
      parts = List.copyOf(parts);
    }
  }

  /**
   * One partition.
   *
   * @param service whose
   * @param share of the GPU
   * @param requestsPerSecond the part of its rate that is served here, positive
   */
  record Part(String service, Share share, double requestsPerSecond) {}
}
