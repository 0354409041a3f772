package dev.cotenant.placement;

import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.interference.InterferenceModel;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

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
   * afterwards gets it (best fit: free GPUs stay free); ties go to the first by node and uuid. On
   * devices for which the limits do not trust the prediction's bounds, the workload counts as
   * unknown: where no share is to be had elsewhere it gets a whole one of their GPUs, or none.
   */
  public Decision decide(ClusterSnapshot snapshot, PlacementRequest request) {
    return switch (request) {
      case PlacementRequest.Share asked -> decide(snapshot, Trust.split(asked));
      case PlacementRequest.Whole asked -> whole.decide(snapshot, asked);
    };
  }

  private Decision decide(ClusterSnapshot snapshot, Trust asked) {
    PlacementRequest.Whole alone = asked.alone();
    if (alone == null) {
      return share.decide(snapshot, asked.shared());
    }
    Decision aside = whole.decide(Trust.only(snapshot, alone.predictions().keySet()), alone);
    if (asked.shared().predictions().isEmpty()) {
      return aside;
    }
    Decision shared = share.decide(snapshot, asked.shared());
    return switch (shared) {
      case Decision.Admitted admitted -> admitted;
      case Decision.Held(List<Reason> reasons) -> orElse(aside, reasons, Decision.Held::new);
      case Decision.Denied(List<Reason> reasons) -> orElse(aside, reasons, Decision.Denied::new);
    };
  }

  /** What was decided aside where it admits, else all reasons together. */
  private static Decision orElse(
      Decision aside, List<Reason> before, Function<List<Reason>, Decision> refusal) {
    return switch (aside) {
      case Decision.Admitted admitted -> admitted;
      case Decision.Held(List<Reason> reasons) -> new Decision.Held(joined(before, reasons));
      case Decision.Denied(List<Reason> reasons) -> refusal.apply(joined(before, reasons));
    };
  }

  private static List<Reason> joined(List<Reason> first, List<Reason> second) {
    return Stream.concat(first.stream(), second.stream()).toList();
  }
}
