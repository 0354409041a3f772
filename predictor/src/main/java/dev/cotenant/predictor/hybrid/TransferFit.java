package dev.cotenant.predictor.hybrid;

import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.learning.linear.LeastSquares;
import dev.cotenant.predictor.hybrid.prior.Run;
import dev.cotenant.predictor.hybrid.prior.UtilizationPrior;
import dev.cotenant.predictor.train.Folds;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Fits a {@link DeviceTransfer}: coefficients that all devices have in common, and a deviation of
 * each device with its host, drawn to zero [linear mixed effects, in logarithms]. A host that loads
 * samples slowly then says little of other hosts.
 *
 * <p>Least absolute errors, by iteratively reweighted least squares; each family on a device counts
 * once: random perceptrons are nine of ten rows and say little of named networks.
 */
final class TransferFit {
  /** Root of the weight of belief and deviations. */
  private static final double PULL = 0.05;

  private static final int REWEIGHTINGS = 8;

  /** Smaller errors weigh as much as errors of this size, in the logarithm. */
  private static final double MIN_ERROR = 0.03;

  private static final LeastSquares.Stop STOP = new LeastSquares.Stop(500, 1e-10, 1e-7);
  private static final UtilizationPrior BELIEF = UtilizationPrior.EAGER;

  private final List<Run> runs;
  private final double[] logs;
  private final int[] devices;
  private final int deviceCount;
  private final double[] pulls;

  private TransferFit(HybridLearner.Sample sample, List<ProfileRow> rows) {
    runs = sample.runs().stream().map(Run::eager).toList();
    logs = sample.logs().values();
    Map<String, Integer> indices = new TreeMap<>();
    devices =
        rows.stream()
            .mapToInt(row -> indices.computeIfAbsent(Folds.device(row), _ -> indices.size()))
            .toArray();
    deviceCount = indices.size();
    pulls = pulls();
  }

  /**
   * The formula and the devices of the rows.
   *
   * @param rows where the sample's runs come from, in the same order
   */
  static DeviceTransfer fit(HybridLearner.Sample sample, List<ProfileRow> rows) {
    return new DeviceTransfer(
        new TransferFit(sample, rows).fitted(shares(rows)),
        rows.stream().map(ProfileRow::device).toList());
  }

  /** A weight for each row such that families on a device weigh alike and all together 1. */
  static double[] shares(List<ProfileRow> rows) {
    Map<String, Integer> sizes = new TreeMap<>();
    rows.forEach(row -> sizes.merge(group(row), 1, Integer::sum));
    return rows.stream()
        .mapToDouble(row -> 1.0 / sizes.getOrDefault(group(row), 1) / sizes.size())
        .toArray();
  }

  static String group(ProfileRow row) {
    return FamiliarGroups.of(row.family(), Folds.device(row));
  }

  private UtilizationPrior fitted(double[] shares) {
    double[] parameters = new double[pulls.length];
    System.arraycopy(BELIEF.logarithms(), 0, parameters, 0, coefficients());
    double[] weights = shares.clone();
    for (int i = 0; i < REWEIGHTINGS; i++) {
      parameters = descend(parameters, weights);
      for (int row = 0; row < weights.length; row++) {
        double error = Math.abs(formula(parameters, row).log(runs.get(row)) - logs[row]);
        weights[row] = shares[row] / Math.max(MIN_ERROR, error);
      }
    }
    return common(parameters);
  }

  /** The parameters are the common logarithms, then the deviations of each device. */
  private double[] descend(double[] start, double[] weights) {
    double sum = Arrays.stream(weights).sum();
    double[] centre = new double[pulls.length];
    System.arraycopy(BELIEF.logarithms(), 0, centre, 0, coefficients());
    LeastSquares.Residuals misses =
        (parameters, residuals, jacobian) -> {
          for (int row = 0; row < logs.length; row++) {
            double root = Math.sqrt(weights[row] / sum);
            UtilizationPrior formula = formula(parameters, row);
            residuals[row] = root * (formula.log(runs.get(row)) - logs[row]);
            double[] gradient = formula.gradient(runs.get(row));
            for (int k = 0; k < gradient.length; k++) {
              jacobian[row][k] = root * gradient[k];
              jacobian[row][deviation(row, k)] = root * gradient[k];
            }
          }
          for (int k = 0; k < pulls.length; k++) {
            residuals[logs.length + k] = pulls[k] * (parameters[k] - centre[k]);
            jacobian[logs.length + k][k] = pulls[k];
          }
        };
    return LeastSquares.descend(misses, start, logs.length + pulls.length, STOP)
        .orElseThrow(() -> new IllegalStateException("the transfer's fit does not end"))
        .parameters();
  }

  private static int coefficients() {
    return BELIEF.logarithms().length;
  }

  private int deviation(int row, int coefficient) {
    return (1 + devices[row]) * coefficients() + coefficient;
  }

  private static UtilizationPrior common(double[] parameters) {
    return BELIEF.withLogarithms(Arrays.copyOf(parameters, coefficients()));
  }

  /** With the deviations of the row's device. */
  private UtilizationPrior formula(double[] parameters, int row) {
    double[] logarithms = Arrays.copyOf(parameters, coefficients());
    for (int k = 0; k < logarithms.length; k++) {
      logarithms[k] += parameters[deviation(row, k)];
    }
    return BELIEF.withLogarithms(logarithms);
  }

  private double[] pulls() {
    double[] deviations = BELIEF.deviations();
    double[] hosts = UtilizationPrior.hostDeviations();
    double[] all = new double[(1 + deviceCount) * deviations.length];
    for (int k = 0; k < all.length; k++) {
      int coefficient = k % deviations.length;
      double deviation = k < deviations.length ? deviations[coefficient] : hosts[coefficient];
      all[k] = PULL / Math.sqrt(deviations.length) / deviation;
    }
    return all;
  }
}
