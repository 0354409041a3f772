package dev.cotenant.interference.risk;

import dev.cotenant.interference.risk.Terms.Level;
import dev.cotenant.learning.linear.GrowingInverse;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Exact posterior of a linear model of independent normal effects after some rows, by one row at a
 * time. Not thread-safe.
 */
final class Posterior {
  /*
   * y = Σ φ_l w_l + noise with w_l ~ N(0, λ_l²) independent. K + R = L·Lᵀ is the covariance of the
   * rows, α = (K + R)⁻¹y. For a sharing x with v = L⁻¹ cov(rows, x): mean Σ φ_l cov(rows, w_l)·α,
   * variance Σ φ_l²λ_l² − v·v, and v is also the new row of L when x is measured. v = Σ φ_l p_l of
   * the projections p_l = L⁻¹ cov(rows, w_l) of effects, which do not change in their first entries
   * when rows come: they are stored and extended when they are next needed. Effects of two workloads
   * are many, each in few rows: theirs are made of columns of L⁻¹ every time. An effect that no row
   * has needs none. Prediction is O(terms · n), learning O(n²) for L⁻¹.
   */
  /** Numbers of the projections of all models together, 32 MiB. */
  private static final int MAX_PROJECTED = 4 << 20;

  /** Those of one sharing are used together. */
  private static final int MIN_PROJECTIONS = 32;

  private final Deviations deviations;
  private final GrowingInverse factor = new GrowingInverse();
  private final Map<Level, Occurrences> occurrences = new HashMap<>();
  private final LinkedHashMap<Level, Projection> projections = new LinkedHashMap<>(16, 0.75f, true);
  private double[] weights = new double[16];
  private final int most;
  private long projected;

  /**
   * @param models that share one budget of memory
   */
  Posterior(Deviations deviations, int models) {
    this.deviations = deviations;
    most = MAX_PROJECTED / models;
  }

  /** Rows that an effect occurs in. */
  private static final class Occurrences {
    private int[] rows = new int[4];
    private double[] covariances = new double[4];
    private int count;
    private double part;
    private int partRows = -1;

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
    double rest = value - mean(terms);
    if (!factor.append(row, variance(terms) + noiseVariance)) {
      return false;
    }
    terms.forEach((level, amount) ->
        occurrences
            .computeIfAbsent(level, _ -> new Occurrences())
            .add(n, amount * deviations.variance(level.effect())));
    if (n == weights.length) {
      weights = Arrays.copyOf(weights, 2 * n);
    }
    factor.addRow(n, rest / factor.diagonal(n), weights);
    return true;
  }

  SpeedEstimate estimate(Map<Level, Double> terms) {
    int n = rows();
    double[] row = projected(terms);
    double variance = variance(terms) - GrowingInverse.dot(row, row, n);
    return new SpeedEstimate(mean(terms), Math.sqrt(Math.max(0, variance)), explanation(terms));
  }

  private double mean(Map<Level, Double> terms) {
    double mean = 0;
    for (Map.Entry<Level, Double> term : terms.entrySet()) {
      mean += term.getValue() * part(term.getKey());
    }
    return mean;
  }

  /** What an effect adds to the mean where there is one unit of it. */
  private double part(Level level) {
    Occurrences found = occurrences.get(level);
    if (found == null) {
      return 0;
    }
    if (found.partRows != rows()) {
      double part = 0;
      for (int i = 0; i < found.count; i++) {
        part += found.covariances[i] * weights[found.rows[i]];
      }
      found.part = part;
      found.partRows = rows();
    }
    return found.part;
  }

  /** Effects of usage count together. */
  private SpeedEstimate.Explanation explanation(Map<Level, Double> terms) {
    Map<Level, Double> parts = new LinkedHashMap<>();
    Level usage = new Level(Effect.USAGE, "", "", "");
    terms.forEach((level, amount) -> {
      double part = amount * part(level);
      parts.merge(level.effect() == Effect.USAGE ? usage : level, part, Double::sum);
    });
    Level most = usage;
    for (Map.Entry<Level, Double> part : parts.entrySet()) {
      if (part.getValue() < parts.getOrDefault(most, 0.0)) {
        most = part.getKey();
      }
    }
    String subject = most.other().isEmpty() ? most.own() : most.own() + ", " + most.other();
    return new SpeedEstimate.Explanation(most.effect(), subject);
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
    int n = rows();
    double[] sum = new double[n];
    SparseRows ofPairs = new SparseRows();
    terms.forEach((level, amount) -> {
      Occurrences found = occurrences.get(level);
      if (found != null && isOfPair(level)) {
        ofPairs.add(found, amount);
      } else if (found != null) {
        GrowingInverse.addTimes(amount, projection(level, found).values, sum, n);
      }
    });
    factor.addSolution(ofPairs.rows, ofPairs.values, ofPairs.count, 0, sum);
    return sum;
  }

  private static boolean isOfPair(Level level) {
    return !level.other().isEmpty();
  }

  /** Covariances with some rows, ascending. */
  private static final class SparseRows {
    private int[] rows = new int[8];
    private double[] values = new double[8];
    private int count;

    void add(Occurrences found, double times) {
      for (int i = 0; i < found.count; i++) {
        add(found.rows[i], times * found.covariances[i]);
      }
    }

    private void add(int row, double value) {
      int at = Arrays.binarySearch(rows, 0, count, row);
      if (at >= 0) {
        values[at] += value;
        return;
      }
      if (count == rows.length) {
        rows = Arrays.copyOf(rows, 2 * count);
        values = Arrays.copyOf(values, 2 * count);
      }
      int to = -at - 1;
      System.arraycopy(rows, to, rows, to + 1, count - to);
      System.arraycopy(values, to, values, to + 1, count - to);
      rows[to] = row;
      values[to] = value;
      count++;
    }
  }

  /** Of all rows. */
  private Projection projection(Level level, Occurrences found) {
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
    factor.addSolution(
        found.rows, found.covariances, found.count, projection.end, projection.values);
    projection.end = n;
    forgetLeastUsed();
  }

  /** They are made again when they are needed. */
  private void forgetLeastUsed() {
    while (projected > most && projections.size() > MIN_PROJECTIONS) {
      Map.Entry<Level, Projection> eldest = projections.pollFirstEntry();
      projected -= eldest.getValue().values.length;
    }
  }
}
