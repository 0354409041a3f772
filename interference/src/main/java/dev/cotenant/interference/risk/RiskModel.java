package dev.cotenant.interference.risk;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The risk that a job is slowed beyond a limit by the jobs beside it, learned from measured speeds.
 *
 * <p>The logarithm of a speed beside others over the speed alone is normal: a sum of effects of
 * usage, of the device, and of the configurations and models on both sides. An effect that was
 * never observed adds its whole prior variance, so that risks of new models are honest. Safe for
 * use by several threads.
 */
public final class RiskModel {
  /*
   * Mixed effects over ordered pairs as an exact Gaussian process (Posterior). Several aggressors:
   * their utilizations and bandwidths add up inside the products, their effects add up in the
   * logarithm, the victim's own effects count once; with one aggressor this is the model of pairs.
   * A further aggressor never lowers a risk: the risk beside a set is at least that beside each of
   * its subsets.
   *
   * Repeated measurements of one colocation are averaged with their noise; their mean becomes a row
   * when its information has doubled, so that n repetitions make at most 1 + log2(n) rows. At
   * MAX_ROWS the rows of each colocation are merged into one and the colocations that were measured least
   * recently are dropped, O(rows³) once in a few hundred measurements.
   */
  /** Most rows in memory and in a file. */
  public static final int MAX_ROWS = 2_048;

  private static final int ROWS_AFTER_COMPACTION = 1_536;

  /**
   * Size of the cache of estimates, which is cleared by each new row; decisions repeat estimates.
   */
  private static final int MAX_ESTIMATES = 65_536;

  private static final int MIN_ESTIMATES = 256;

  /** Where a measurement states no noise; repeating it says nothing new. */
  private static final double MIN_NOISE_VARIANCE = 1e-6;

  private final RiskPrior prior;
  private final int parts;
  private Posterior posterior;

  /** In order of last measurement. */
  private final LinkedHashMap<VictimColocation.Cell, Measured> cells = new LinkedHashMap<>();

  private final Map<VictimColocation, SpeedEstimate> estimates = new HashMap<>();

  public RiskModel(RiskPrior prior) {
    this(prior, 1);
  }

  /**
   * One of several models that share a budget for caches.
   *
   * @param models how many, at least 1
   */
  public RiskModel(RiskPrior prior, int models) {
    this.prior = prior;
    parts = models;
    posterior = new Posterior(prior.deviations(), models);
  }

  /**
   * All measurements of a colocation.
   *
   * @param colocation with the usage measured last
   * @param information sum of the inverse noise variances
   * @param meanLogSpeed weighted by them
   * @param learned part of {@code information} in the posterior
   * @param learnedMean of that part
   * @param baseline deviation of the speed alone of the newest
   */
  private record Measured(
      VictimColocation colocation,
      double baseline,
      double information,
      double meanLogSpeed,
      double learned,
      double learnedMean) {
    Measured {
      boolean isFinite = Double.isFinite(information) && Double.isFinite(meanLogSpeed);
      if (!(information > 0) || !isFinite) {
        throw new IllegalArgumentException("a measurement has information " + information);
      }
    }

    Measured plus(SpeedMeasurement newest, double more) {
      double sum = information + more;
      double mean = (information * meanLogSpeed + more * newest.logSpeed()) / sum;
      return new Measured(newest.colocation(), newest.baseline(), sum, mean, learned, learnedMean);
    }

    /** The summary as a single row. */
    Measured asRow() {
      return new Measured(
          colocation, baseline, information, meanLogSpeed, information, meanLogSpeed);
    }

    /** Copy that no row includes. */
    Measured anew() {
      return new Measured(colocation, baseline, information, meanLogSpeed, 0, 0);
    }
  }

  /** Learns from a measurement. */
  public synchronized void learn(SpeedMeasurement measurement) {
    VictimColocation colocation = measurement.colocation();
    double information =
        1 / Math.max(MIN_NOISE_VARIANCE, measurement.noise() * measurement.noise());
    Measured before = cells.remove(colocation.cell());
    Measured after =
        before == null
            ? new Measured(
                colocation, measurement.baseline(), information, measurement.logSpeed(), 0, 0)
            : before.plus(measurement, information);
    put(after);
    if (posterior.rows() >= MAX_ROWS) {
      compact();
    }
  }

  /** Adds what has accumulated since the last row, once it is as much as there was before. */
  private void put(Measured measured) {
    double pending = measured.information() - measured.learned();
    Measured stored = measured;
    if (pending >= measured.learned()) {
      estimates.clear();
      double mean =
          (measured.information() * measured.meanLogSpeed()
                  - measured.learned() * measured.learnedMean())
              / pending;
      posterior.add(terms(measured), mean, 1 / pending);
      stored = measured.asRow();
    }
    cells.put(measured.colocation().cell(), stored);
  }

  /** Estimates are of the true speed alone and do not have the effect of its error. */
  private Map<Terms.Level, Double> terms(Measured measured) {
    Map<Terms.Level, Double> terms = Terms.of(measured.colocation(), prior.scale());
    if (measured.baseline() > 0) {
      VictimColocation colocation = measured.colocation();
      terms.put(
          Terms.baseline(colocation.device(), colocation.victim()),
          measured.baseline() / Math.sqrt(prior.deviations().variance(Effect.BASELINE)));
    }
    return terms;
  }

  /**
   * Merges repeated measurements and drops the colocations measured least recently; a caller may do
   * so in a quiet moment, before {@link #MAX_ROWS} is reached.
   */
  public synchronized void compact() {
    List<Measured> all = new ArrayList<>(cells.sequencedValues());
    cells.clear();
    estimates.clear();
    posterior = new Posterior(prior.deviations(), parts);
    for (Measured one : all.subList(Math.max(0, all.size() - ROWS_AFTER_COMPACTION), all.size())) {
      put(one.anew());
    }
  }

  /** Rows of the posterior, at most {@link #MAX_ROWS}. */
  public synchronized int rows() {
    return posterior.rows();
  }

  /** Whether this very colocation was measured, with whatever usage. */
  public synchronized boolean isMeasured(VictimColocation colocation) {
    return cells.containsKey(colocation.cell());
  }

  /** The logarithm of the victim's speed. */
  public synchronized SpeedEstimate estimate(VictimColocation colocation) {
    SpeedEstimate found = estimates.get(colocation);
    if (found != null) {
      return found;
    }
    SpeedEstimate estimate = posterior.estimate(Terms.of(colocation, prior.scale()));
    if (estimates.size() >= Math.max(MIN_ESTIMATES, MAX_ESTIMATES / parts)) {
      estimates.clear();
    }
    estimates.put(colocation, estimate);
    return estimate;
  }

  /**
   * Estimates pairs of the jobs that were measured last, so that decisions find them.
   *
   * @param most pairs
   */
  public synchronized void estimateAhead(int most) {
    Map<String, Set<SharedJob>> jobs = new LinkedHashMap<>();
    for (Measured one : new ArrayList<>(cells.sequencedValues()).reversed()) {
      Set<SharedJob> known =
          jobs.computeIfAbsent(one.colocation().device(), _ -> new LinkedHashSet<>());
      known.add(one.colocation().victim());
      known.addAll(one.colocation().aggressors());
    }
    int found = 0;
    for (Map.Entry<String, Set<SharedJob>> of : jobs.entrySet()) {
      for (SharedJob victim : of.getValue()) {
        for (SharedJob aggressor : of.getValue()) {
          if (found++ >= most) {
            return;
          }
          estimate(new VictimColocation(of.getKey(), victim, List.of(aggressor)));
        }
      }
    }
  }

  /**
   * The probability that the victim is slowed by more than a limit; never smaller than beside fewer
   * of the aggressors.
   *
   * @param limit of the slowdown, at least 1
   */
  public double risk(VictimColocation colocation, double limit) {
    if (!(limit >= 1)) {
      throw new IllegalArgumentException("limit of the slowdown is " + limit + ", below 1");
    }
    double risk = 0;
    for (int some = 1; some < 1 << colocation.aggressors().size(); some++) {
      risk = Math.max(risk, estimate(colocation.among(some)).risk(limit));
    }
    return risk;
  }

  /** Whether the colocated speed of a configuration was measured on a device. */
  public synchronized boolean knowsVictim(String device, SharedJob job) {
    return posterior.has(Terms.victim(device, job));
  }

  /** Whether the speed of neighbours of a configuration was measured on a device. */
  public synchronized boolean knowsAggressor(String device, SharedJob job) {
    return posterior.has(Terms.aggressor(device, job));
  }
}
