package dev.cotenant.admission;

import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Reason;
import java.util.List;
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
}
