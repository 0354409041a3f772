package dev.cotenant.engine.sizing;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.text.Table;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Recommendations for people. */
public final class RecommendationTable {
  private RecommendationTable() {}

  /** A table of these rows. */
  public static Table<Recommendation> of(List<Recommendation> rows) {
    Table<Recommendation> table =
        new Table<Recommendation>()
            .text("namespace", Recommendation::namespace)
            .text("workload", Recommendation::workload)
            .number("pods", row -> count(row.pods()))
            .number("requested", row -> size(row.requested()))
            .number("used p50", row -> size(row.usedMedian()))
            .number("p99", row -> size(row.used99()))
            .number("max", row -> size(row.usedMost()))
            .number("recommended", row -> size(row.recommended()))
            .number("suffices with", row -> percent(row.probability()))
            .number("frees", row -> size(row.freed()));
    if (rows.stream().anyMatch(row -> row.predicted() != null)) {
      table.number("predicted", row -> size(row.predicted()));
    }
    if (rows.stream().anyMatch(row -> row.money() != null)) {
      table.number("an hour", row -> money(row.money()));
    }
    return table.number("exceeded", row -> count(row.exceeded()) + " of " + count(row.tested()));
  }

  /** What they free together, and their back-test. */
  public static String summary(List<Recommendation> rows) {
    long freed = 0;
    double money = 0;
    int tested = 0;
    int exceeded = 0;
    for (Recommendation row : rows) {
      freed += row.freed() == null ? 0 : Math.max(0, row.freed());
      money += row.money() == null ? 0 : Math.max(0, row.money());
      tested += row.tested();
      exceeded += row.exceeded();
    }
    return "frees "
        + size(freed)
        + (money > 0 ? ", " + money(money) + " an hour" : "")
        + "; back-test: "
        + (tested == 0
            ? "no window"
            : count(exceeded) + " of " + count(tested) + " windows would have been out of memory");
  }

  private static String size(@Nullable Long bytes) {
    return bytes == null ? "-" : (bytes < 0 ? "-" : "") + MemorySize.ofBytes(Math.abs(bytes));
  }

  private static String money(@Nullable Double amount) {
    return amount == null ? "-" : String.format(Locale.ROOT, "%.2f", amount);
  }

  private static String percent(double share) {
    return String.format(Locale.ROOT, "%.1f %%", 100 * share);
  }

  private static String count(int number) {
    return String.format(Locale.ROOT, "%,d", number);
  }
}
