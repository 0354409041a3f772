package dev.cotenant.llm.fit;

import dev.cotenant.learning.quantile.Quantiles;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * An upper bound on the error for a family that was never measured: split conformal prediction over
 * families, each of which counts with its worst run [Dunn et al., "Distribution-Free Prediction
 * Sets for Two-Layer Hierarchical Models", 2023].
 *
 * @param worst the largest held-out error of each family, measured less predicted, in the unit of
 *     the error
 */
public record FamilyBound(List<Double> worst) {
  public FamilyBound {
    if (worst.isEmpty()) {
      throw new IllegalArgumentException("a bound needs at least one family");
    }
    worst = List.copyOf(worst);
  }

  /**
   * The bound from errors of models that were learned without the family that they predict.
   *
   * @param rows runs
   * @param family of a run
   * @param learn errors of runs by a model learned from rows
   */
  public static <R> FamilyBound heldOut(
      List<R> rows, Function<R, String> family, Function<List<R>, ToDoubleFunction<R>> learn) {
    List<Double> worst = new ArrayList<>();
    byFamily(rows, family)
        .forEach((name, members) -> {
          List<R> others = rows.stream().filter(row -> !family.apply(row).equals(name)).toList();
          ToDoubleFunction<R> error = learn.apply(others);
          worst.add(members.stream().mapToDouble(error).max().orElseThrow());
        });
    return new FamilyBound(worst);
  }

  /** Runs by family, in the order of names. */
  public static <R> Map<String, List<R>> byFamily(List<R> rows, Function<R, String> family) {
    Map<String, List<R>> families = new TreeMap<>();
    rows.forEach(
        row -> families.computeIfAbsent(family.apply(row), _ -> new ArrayList<>()).add(row));
    return families;
  }

  /** What to add to a prediction so that the sum holds at this level, or at the {@link #most}. */
  public double at(double level) {
    return Quantiles.conformal(worst.stream().mapToDouble(Double::doubleValue).toArray(), level);
  }

  /** The highest level that so few families support: n / (n + 1). */
  public double most() {
    return worst.size() / (worst.size() + 1.0);
  }
}
