package dev.cotenant.interference.risk;

import dev.cotenant.interference.risk.Terms.Level;
import dev.cotenant.learning.linear.GrowingCholesky;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Exact posterior of a linear model of independent normal effects after some rows, by one row at a
 * time. Not thread-safe.
 */
final class Posterior {
  /*
   * y = Σ φ_l w_l + noise with w_l ~ N(0, λ_l²) independent. K + R = L·Lᵀ is the covariance of the
   * rows, z = L⁻¹y. The projection p_l = L⁻¹ cov(rows, w_l) of an effect does not change in its first
   * entries when rows come, so it is extended when it is next needed, O(n) for each new row, and is
   * zero before the first row that has the effect; an effect that no row has needs none. For a
   * sharing x with v = Σ φ_l p_l: mean v·z, variance Σ φ_l²λ_l² − v·v, and v is also the
   * new row of L when x is measured: prediction and learning are O(terms · n).
   */
  /** Numbers of the projections of all models together, 32 MiB. */
  private static final int MAX_PROJECTED = 4 << 20;

  /** Those of one sharing are used together. */
  private static final int LEAST_PROJECTIONS = 32;

  private final Deviations deviations;
  private final GrowingCholesky factor = new GrowingCholesky();
  private final Map<Level, Occurrences> occurrences = new HashMap<>();
  private final LinkedHashMap<Level, Projection> projections = new LinkedHashMap<>(16, 0.75f, true);
  private double[] solved = new double[16];
  private final int most;
  private long projected;

  /**
   * @param models that share one budget of memory
   */
  Posterior(Deviations deviations, int models) {
    this.deviations = deviations;
    most = MAX_PROJECTED / models;
  }

  /** The rows that have an effect. */
  private static final class Occurrences {
    private int[] rows = new int[4];
    private double[] covariances = new double[4];
    private int count;

    void add(int row, double covariance) {
      if (count == rows.length) {
        rows = Arrays.copyOf(rows, 2 * count);
        covariances = Arrays.copyOf(covariances, 2 * count);
      }
      rows[count] = row;
      covariances[count++] = covariance;
    }
  }

  /** p_l of the rows up to {@code end}. */
  private static final class Projection {
    private double[] values = new double[0];
    private int end;
  }

  int rows() {
    return factor.size();
  }

  boolean has(Level level) {
    return occurrences.containsKey(level);
  }

  /** Learns a row; false where it says nothing new and has no noise. */
  boolean add(Map<Level, Double> terms, double value, double noiseVariance) {
    int n = rows();
    double[] row = projected(terms);
    double rest = value - GrowingCholesky.dot(row, solved, 0, n);
    if (!factor.append(row, variance(terms) + noiseVariance)) {
      return false;
    }
    terms.forEach((level, amount) ->
        occurrences
            .computeIfAbsent(level, _ -> new Occurrences())
            .add(n, amount * deviations.variance(level.effect())));
    if (n == solved.length) {
      solved = Arrays.copyOf(solved, 2 * n);
    }
    solved[n] = rest / factor.diagonal(n);
    return true;
  }

  SpeedEstimate estimate(Map<Level, Double> terms) {
    int n = rows();
    double[] row = projected(terms);
    double variance = variance(terms) - GrowingCholesky.dot(row, row, 0, n);
    double mean = GrowingCholesky.dot(row, solved, 0, n);
    return new SpeedEstimate(mean, Math.sqrt(Math.max(0, variance)), explanation(terms));
  }

  /** Effects of usage count together. */
  private SpeedEstimate.Explanation explanation(Map<Level, Double> terms) {
    Map<Level, Double> parts = new LinkedHashMap<>();
    Level usage = new Level(Effect.USAGE, "", "", "");
    terms.forEach((level, amount) -> {
      Projection projection = projection(level);
      double part =
          projection == null
              ? 0
              : amount * GrowingCholesky.dot(projection.values, solved, 0, projection.end);
      parts.merge(level.effect() == Effect.USAGE ? usage : level, part, Double::sum);
    });
    Level most = usage;
    for (Map.Entry<Level, Double> part : parts.entrySet()) {
      if (part.getValue() < parts.getOrDefault(most, 0.0)) {
        most = part.getKey();
      }
    }
    String subject = most.other().isEmpty() ? most.own() : most.own() + ", " + most.other();
    return new SpeedEstimate.Explanation(
        most.effect(), subject, Math.min(0, parts.getOrDefault(most, 0.0)));
  }

  private double variance(Map<Level, Double> terms) {
    double variance = 0;
    for (Map.Entry<Level, Double> term : terms.entrySet()) {
      double amount = term.getValue();
      variance += amount * amount * deviations.variance(term.getKey().effect());
    }
    return variance;
  }

  private double[] projected(Map<Level, Double> terms) {
    double[] sum = new double[rows()];
    terms.forEach((level, amount) -> {
      Projection projection = projection(level);
      if (projection != null) {
        double factorOf = amount;
        double[] values = projection.values;
        for (int i = 0; i < sum.length; i++) {
          sum[i] += factorOf * values[i];
        }
      }
    });
    return sum;
  }

  /** Of all rows; null where no row has the effect. */
  private @Nullable Projection projection(Level level) {
    Occurrences found = occurrences.get(level);
    if (found == null) {
      return null;
    }
    Projection projection = projections.computeIfAbsent(level, _ -> new Projection());
    if (projection.end < rows()) {
      extend(projection, found);
    }
    return projection;
  }

  private void extend(Projection projection, Occurrences found) {
    int n = rows();
    if (projection.values.length < n) {
      int length = Math.max(n, projection.values.length + (projection.values.length >> 2));
      projected += length - projection.values.length;
      projection.values = Arrays.copyOf(projection.values, length);
    }
    for (int i = found.count - 1; i >= 0 && found.rows[i] >= projection.end; i--) {
      projection.values[found.rows[i]] = found.covariances[i];
    }
    factor.extend(projection.values, found.rows[0], Math.max(projection.end, found.rows[0]));
    projection.end = n;
    forgetLeastUsed();
  }

  /** They are made again when they are needed. */
  private void forgetLeastUsed() {
    while (projected > most && projections.size() > LEAST_PROJECTIONS) {
      Map.Entry<Level, Projection> eldest = projections.pollFirstEntry();
      projected -= eldest.getValue().values.length;
    }
  }
}
