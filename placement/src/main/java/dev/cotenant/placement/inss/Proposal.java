package dev.cotenant.placement.inss;

import dev.cotenant.placement.fleet.Unplaced;
import java.util.List;

/**
 * A placement without batches.
 *
 * @param gpus in the order of the plan
 * @param left services without a partition, and why
 */
public record Proposal(List<Gpu> gpus, List<Unplaced> left) {
  public Proposal {
    gpus = List.copyOf(gpus);
    left = List.copyOf(left);
  }

  /**
   * One GPU.
   *
   * @param device its kind
   * @param shares its partitions, at least one
   */
  public record Gpu(String device, List<Share> shares) {
    public Gpu {
      shares = List.copyOf(shares);
    }
  }

  /**
   * One partition.
   *
   * @param service whose
   * @param sharePermille thousandths of the GPU, 1 to 1000
   * @param requestsPerSecond the part of its rate that is served here, positive
   */
  public record Share(String service, int sharePermille, double requestsPerSecond) {}
}
