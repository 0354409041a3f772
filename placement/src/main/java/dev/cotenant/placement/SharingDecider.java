package dev.cotenant.placement;

import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.interference.InterferenceModel;

/**
 * Decides about one workload on one snapshot of a cluster.
 *
 * <p>Pure: the same snapshot and request give the same decision, whatever the order of the GPUs. It
 * reserves nothing; whoever grants must decide and record under one lock.
 */
public final class SharingDecider {
  private final ShareDecision share;
  private final WholeGpuDecision whole;

  /** Decides with this model of what neighbours do to each other. */
  public SharingDecider(InterferenceModel interference) {
    share = new ShareDecision(new ShareCheck(interference));
    whole = new WholeGpuDecision();
  }

  /**
   * Admits within every limit, holds what fits only later, denies what can never fit here.
   *
   * <p>Among the GPUs that could take a share, the one with the largest summed utilization
   * afterwards gets it (best fit: free GPUs stay free); ties go to the first by node and uuid.
   */
  public Decision decide(ClusterSnapshot snapshot, PlacementRequest request) {
    return switch (request) {
      case PlacementRequest.Share asked -> share.decide(snapshot, asked);
      case PlacementRequest.Whole asked -> whole.decide(snapshot, asked);
    };
  }
}
