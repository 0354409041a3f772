package dev.cotenant.admission.extender;

import dev.cotenant.admission.decision.ReasonOrder;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Evidence;
import dev.cotenant.domain.decision.Evidence.WithinLimits;
import dev.cotenant.domain.decision.Reason;
import java.util.List;
import java.util.stream.Collectors;

/** Results of decisions about single nodes. */
final class NodeResults {
  /** The highest score of kube-scheduler [extender/v1, MaxExtenderPriority]. */
  static final int BEST_SCORE = 10;

  private static final int MAX_REASONS = 2;

  /** Messages of thousands of nodes end up in one Event of 1,024 bytes. */
  private static final int MAX_WHY = 400;

  private NodeResults() {}

  /**
   * The result of a decision.
   *
   * @param node its GPUs
   */
  static NodeResult of(ClusterSnapshot node, Decision decision) {
    if (node.gpus().isEmpty()) {
      return new NodeResult.Hopeless("NoCandidateGpu: no GPU is known on this node");
    }
    return switch (decision) {
      case Decision.Admitted admitted -> new NodeResult.Fits(score(node, admitted));
      case Decision.Held held -> new NodeResult.Full(why(held));
      case Decision.Denied denied -> new NodeResult.Hopeless(why(denied));
    };
  }

  /**
   * How well it packs: for a share, the summed utilization relative to its limit; for whole GPUs,
   * the fraction of the node's GPUs that are in use.
   */
  private static int score(ClusterSnapshot node, Decision.Admitted admitted) {
    double packed =
        switch (admitted.evidence()) {
          case WithinLimits numbers ->
              numbers.summedUtilization().percent()
                  / Math.max(1, numbers.limits().summedUtilization().percent());
          case Evidence.Recorded _ -> 0; // only in grants of earlier terms
          case Evidence.FreeGpus whole ->
              1 - (double) (free(node) - whole.gpus()) / node.gpus().size();
        };
    return (int) Math.round(Math.clamp(packed, 0, 1) * BEST_SCORE);
  }

  private static long free(ClusterSnapshot node) {
    return node.gpus().stream()
        .filter(gpu -> gpu.tenancy() instanceof Tenancy.Shared(var tenants) && tenants.isEmpty())
        .count();
  }

  private static String why(Decision refusal) {
    List<Reason> all = ReasonOrder.byUsefulness(refusal);
    String first =
        all.stream()
            .limit(MAX_REASONS)
            .map(reason -> reason.code() + ": " + reason.sentence())
            .collect(Collectors.joining("; "));
    String more = all.size() > MAX_REASONS ? " (and " + (all.size() - MAX_REASONS) + " more)" : "";
    return (first.length() > MAX_WHY ? first.substring(0, MAX_WHY) + "…" : first) + more;
  }
}
