package dev.cotenant.llm.serving;

import dev.cotenant.learning.quantile.Quantiles;
import dev.cotenant.llm.fit.RidgeFit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * Learns coefficients from measured starts: medians where a coefficient explains runs alone, pulled
 * least squares for CUDA graphs. Coefficients without runs keep their starting value.
 */
public final class ServingFit {
  /** Before any run: what half-precision copies would take. */
  private static final ServingCoefficients START =
      new ServingCoefficients(
          12, 1, 1, 0, Map.of(), Map.of(), new double[ServingAmounts.GRAPH_FEATURES], null);

  private static final int ROUNDS = 5;
  private static final double PULL = 1e-3;

  private final List<ServingRun> runs;
  private final List<ServingAmounts> amounts;

  private ServingFit(List<ServingRun> runs) {
    this.runs = runs;
    this.amounts =
        runs.stream()
            .map(run -> ServingAmounts.of(run.model(), run.settings(), run.card()))
            .toList();
  }

  /** The coefficients of these runs, at least one. */
  public static ServingCoefficients of(List<ServingRun> runs) {
    return new ServingFit(runs).fit();
  }

  private ServingCoefficients fit() {
    ServingCoefficients found = START;
    for (int round = 0; round < ROUNDS; round++) {
      found = refined(found);
    }
    return found;
  }

  /** The branch of a run that is larger follows from the coefficients of the round before. */
  private ServingCoefficients refined(ServingCoefficients before) {
    List<Double> logits = new ArrayList<>();
    List<Double> forward = new ArrayList<>();
    List<Double> experts = new ArrayList<>();
    List<Double> vision = new ArrayList<>();
    for (int i = 0; i < runs.size(); i++) {
      ServingRun run = runs.get(i);
      ServingAmounts at = amounts.get(i);
      VllmVersion version = run.settings().version();
      double measured = run.measured().activation();
      double dense = before.dense(at, version);
      if (run.model().visionParameters() > 0) {
        vision.add(measured - dense - before.experts() * at.experts());
      } else if (at.experts() > 0) {
        experts.add((measured - dense) / at.experts());
      } else if (before.sampled(at, version) >= before.forward() * at.forward()) {
        logits.add((measured - at.embedded()) / at.logits() - at.valueBytes());
      } else {
        forward.add(measured / at.forward());
      }
    }
    return new ServingCoefficients(
        median(logits, before.logitBytes()),
        median(forward, before.forward()),
        median(experts, before.experts()),
        median(vision, before.visionBytes()),
        byParallelism(run -> run.measured().nonTorch()),
        byParallelism(run -> run.measured().context()),
        graphs(),
        null);
  }

  private Map<Parallelism, Double> byParallelism(ToDoubleFunction<ServingRun> value) {
    Map<Parallelism, Double> medians = new EnumMap<>(Parallelism.class);
    for (Parallelism kind : Parallelism.values()) {
      List<Double> values =
          runs.stream()
              .filter(run -> Parallelism.of(run.model(), run.settings()) == kind)
              .map(value::applyAsDouble)
              .toList();
      if (!values.isEmpty()) {
        medians.put(kind, median(values, 0));
      }
    }
    return medians;
  }

  private double[] graphs() {
    double[] ones = new double[runs.size()];
    Arrays.fill(ones, 1);
    return RidgeFit.of(
        new RidgeFit.Rows(
            amounts.stream().map(ServingAmounts::graphs).toArray(double[][]::new),
            runs.stream().mapToDouble(run -> run.measured().graphs()).toArray(),
            ones),
        START.graphBytes(),
        PULL);
  }

  private static double median(List<Double> values, double otherwise) {
    return values.isEmpty()
        ? otherwise
        : Quantiles.median(values.stream().mapToDouble(Double::doubleValue).toArray());
  }
}
