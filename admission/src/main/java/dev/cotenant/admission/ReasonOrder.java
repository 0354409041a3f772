package dev.cotenant.admission;

import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Reason;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/** The order in which reasons help people most, which is also that of refusals. */
public final class ReasonOrder {
  private ReasonOrder() {}

  /** What concerns every GPU first, then GPU by GPU: those where the least is amiss lead. */
  public static List<Reason> byUsefulness(List<Reason> reasons) {
    return RefusalMessage.byUsefulness(reasons);
  }

  /**
   * A decision with as many of its reasons as people read.
   *
   * @param decision the same with the most useful reasons only, in their order
   * @param reasonsInAll how many there were
   */
  public record Shortened(Decision decision, int reasonsInAll) {}

  /** The decision with at most so many reasons, the most useful ones. */
  public static Shortened shortened(Decision decision, int limit) {
    return switch (decision) {
      case Decision.Admitted admitted -> new Shortened(admitted, 0);
      case Decision.Held(List<Reason> reasons) -> shortened(reasons, limit, Decision.Held::new);
      case Decision.Denied(List<Reason> reasons) -> shortened(reasons, limit, Decision.Denied::new);
    };
  }

  private static Shortened shortened(
      List<Reason> reasons, int limit, Function<List<Reason>, Decision> refusal) {
    List<Reason> most = byUsefulness(reasons).stream().limit(limit).toList();
    return new Shortened(refusal.apply(most), reasons.size());
  }

  /**
   * The first of {@link #byUsefulness}, or one as useful, without putting all in order.
   *
   * @param reasons at least one; those of one GPU follow each other, as decisions give them
   */
  public static Reason mostUseful(List<Reason> reasons) {
    Reason best = null;
    long bestCost = Long.MAX_VALUE;
    int from = 0;
    while (from < reasons.size()) {
      int to = from + 1;
      long worst = cost(reasons.get(from));
      while (to < reasons.size() && isOfSameGpu(reasons.get(from), reasons.get(to))) {
        worst = Math.max(worst, cost(reasons.get(to)));
        to++;
      }
      long cost = worst + (to - from);
      if (cost < bestCost) {
        best = reasons.get(from);
        bestCost = cost;
      }
      from = to;
    }
    return Objects.requireNonNull(best, "there is at least one reason");
  }

  /** What concerns every GPU is the cheapest; nodes that are out of the question the dearest. */
  private static long cost(Reason reason) {
    long severity = RefusalMessage.severity(reason) * 1000L;
    return switch (reason) {
      case Reason.PolicyExcluded _, Reason.NodeExcluded _ -> 1_000_000 + severity;
      case Reason.OfGpu _ -> 100_000 + severity;
      default -> severity;
    };
  }

  private static boolean isOfSameGpu(Reason one, Reason other) {
    return one instanceof Reason.OfGpu first
        && other instanceof Reason.OfGpu second
        && first.gpuUuid().equals(second.gpuUuid());
  }
}
