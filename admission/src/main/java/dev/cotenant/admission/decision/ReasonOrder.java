package dev.cotenant.admission.decision;

import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Reason;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/** The order of the reasons of a refusal, actionable ones first. */
public final class ReasonOrder {
  private ReasonOrder() {}

  /**
   * Cluster-wide reasons first, then GPU by GPU: first GPUs that fit once others leave, by the
   * severity of their worst reason, then by number of reasons; then GPUs that are too small, the
   * largest first, each starting with the excess over an empty GPU. A denial begins with the
   * latter. {@code PolicyExcluded} comes last unless it is decisive: unless a share was possible
   * elsewhere, or no GPU is large enough.
   */
  public static List<Reason> byUsefulness(Decision refusal) {
    List<Reason> reasons = refusal.reasons();
    boolean never = refusal instanceof Decision.Denied;
    Map<String, Integer> count =
        reasons.stream().collect(Collectors.toMap(ReasonOrder::gpu, _ -> 1, Integer::sum));
    Map<String, Integer> worst =
        reasons.stream().collect(Collectors.toMap(ReasonOrder::gpu, Reason::severity, Math::max));
    Map<String, Double> shortfall =
        reasons.stream().collect(Collectors.toMap(ReasonOrder::gpu, Reason::shortfall, Math::max));
    return reasons.stream()
        .sorted(
            Comparator.comparingInt((Reason reason) -> rank(reason, reasons))
                .thenComparingDouble(
                    reason -> place(shortfall.getOrDefault(gpu(reason), 0.0), never))
                .thenComparingInt(reason -> worst.getOrDefault(gpu(reason), 0))
                .thenComparingInt(reason -> count.getOrDefault(gpu(reason), 0))
                .thenComparing(ReasonOrder::gpu)
                .thenComparing(Comparator.comparingDouble(Reason::shortfall).reversed())
                .thenComparingInt(Reason::severity))
        .toList();
  }

  /** Where no GPU can ever do, one that others use says less than one that is too small. */
  private static double place(double shortfall, boolean never) {
    return never && shortfall <= 0.0 ? Double.POSITIVE_INFINITY : shortfall;
  }

  private static int rank(Reason reason, List<Reason> all) {
    if (reason instanceof Reason.PolicyExcluded) {
      boolean decides =
          all.stream().noneMatch(Reason.OfSharing.class::isInstance)
              && all.stream().anyMatch(Reason.ExclusiveRequested.class::isInstance);
      return decides ? 0 : 2;
    }
    if (reason instanceof Reason.NodeExcluded) {
      return 3;
    }
    return gpu(reason).isEmpty() ? 0 : 1;
  }

  /** Node and uuid; empty for a reason of the whole cluster. */
  private static String gpu(Reason reason) {
    return reason instanceof Reason.OfGpu of ? of.node() + "/" + of.gpuUuid() : "";
  }

  /**
   * A decision with a list of its most useful reasons.
   *
   * @param reasonCount of all reasons
   */
  public record Shortened(Decision decision, int reasonCount) {}

  /** The decision with the most useful of its reasons first. */
  public static Decision ordered(Decision decision) {
    return shortened(decision, Integer.MAX_VALUE).decision();
  }

  public static Shortened shortened(Decision decision, int limit) {
    List<Reason> most = byUsefulness(decision).stream().limit(limit).toList();
    Decision shortened =
        switch (decision) {
          case Decision.Admitted admitted -> admitted;
          case Decision.Held _ -> new Decision.Held(most);
          case Decision.Denied _ -> new Decision.Denied(most);
        };
    return new Shortened(shortened, decision.reasons().size());
  }

  /**
   * The first of {@link #byUsefulness}, or one as useful, without sorting.
   *
   * @param refusal what the reasons are of
   * @param reasons at least one, grouped by GPU
   */
  public static Reason mostUseful(Decision refusal, List<Reason> reasons) {
    boolean never = refusal instanceof Decision.Denied;
    Reason best = null;
    double bestCost = Double.POSITIVE_INFINITY;
    int from = 0;
    while (from < reasons.size()) {
      Reason first = reasons.get(from);
      int to = from + 1;
      long worst = cost(first);
      while (to < reasons.size() && isOfSameGpu(first, reasons.get(to))) {
        Reason next = reasons.get(to);
        worst = Math.max(worst, cost(next));
        first = next.shortfall() > first.shortfall() ? next : first;
        to++;
      }
      double cost = worst + (to - from) + beyond(first, never);
      if (cost < bestCost) {
        best = first;
        bestCost = cost;
      }
      from = to;
    }
    return Objects.requireNonNull(best, "there is at least one reason");
  }

  /** Reasons of the whole cluster cost least, excluded nodes most. */
  private static long cost(Reason reason) {
    long severity = reason.severity() * 1000L;
    return switch (reason) {
      case Reason.PolicyExcluded _, Reason.NodeExcluded _ -> 1_000_000 + severity;
      case Reason.OfGpu _ -> 100_000 + severity;
      default -> severity;
    };
  }

  /** Cost of a GPU's place among the others, below that of excluded nodes. */
  private static double beyond(Reason reason, boolean never) {
    return reason instanceof Reason.OfGpu
        ? Math.min(800_000, 100_000 * place(reason.shortfall(), never))
        : 0;
  }

  private static boolean isOfSameGpu(Reason one, Reason other) {
    return one instanceof Reason.OfGpu first
        && other instanceof Reason.OfGpu second
        && first.gpuUuid().equals(second.gpuUuid());
  }
}
