package dev.cotenant.engine.risk;

import dev.cotenant.interference.risk.RiskModel;
import dev.cotenant.interference.risk.RiskModels;
import dev.cotenant.interference.risk.RiskPrior;
import dev.cotenant.interference.risk.SharedJob;
import dev.cotenant.interference.risk.SpeedEstimate;
import dev.cotenant.interference.risk.SpeedMeasurement;
import dev.cotenant.interference.risk.VictimColocation;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The risk models of all namespaces, of the stored speeds. Each {@link #refresh} makes the model of
 * one namespace again. While the store is down the last models stay. Safe for use by several
 * threads.
 */
public final class SpeedMemory implements RiskModels {
  /*
   * All models share one budget of memory. A model of n rows has a factor of n²/2 numbers, so with
   * more namespaces the rows of each decrease with the root of their number, and the estimates and
   * projections that it remembers with the number. The number of namespaces counts as the next power
   * of two: when it passes one, the others are made again, one after the other, with fewer rows. So
   * the models of all namespaces stay in memory, and none has to be read on the path of a decision.
   */
  /** Numbers of the factors of all models together, 32 MiB. */
  private static final int MAX_FACTORS = 4 << 20;

  /** Between two models of one namespace: a decision under learned risks loses its estimates. */
  static final Duration MIN_INTERVAL = Duration.ofSeconds(30);

  /** Standard deviation of the logarithm of a speed measured for some minutes. */
  public static final double NOISE = 0.03;

  /** A measurement farther from the estimate counts as one at this distance. */
  private static final double MAX_DEVIATIONS = 3;

  /** Pairs whose risks are found before the first decision needs them, some 10 µs each. */
  private static final int MAX_AHEAD = 30_000;

  private final SpeedStore store;
  private final InstantSource clock;
  private volatile Map<String, Known> known = Map.of();

  /** A model, the state of its rows, how many models it shared memory with, and its time. */
  private record Known(
      long newest,
      int models,
      Instant learnedAt,
      RiskModel model,
      ComparedSpeeds speeds,
      Map<String, SpeedSource> sources) {
    Known {
      sources = Map.copyOf(sources);
    }
  }

  /** Knows nothing yet. */
  public SpeedMemory(SpeedStore store, InstantSource clock) {
    this.store = store;
    this.clock = clock;
  }

  @Override
  public RiskModel of(String namespace) {
    Known found = known.get(namespace);
    return found == null ? UNTRAINED.of(namespace) : found.model;
  }

  /**
   * The speed of a configuration alone on a product, as pods of a namespace measured it at least
   * twice; empty where they did not.
   */
  public Optional<SoloSpeed> alone(String namespace, String device, String configuration) {
    Known found = known.get(namespace);
    return found == null ? Optional.empty() : found.speeds.alone(device, configuration);
  }

  @Override
  public String source(String namespace, String device, SharedJob victim) {
    Known found = known.get(namespace);
    @Nullable SpeedSource source =
        found == null
            ? null
            : found.sources.get(ComparedSpeeds.key(device, victim.configuration()));
    return source == null ? "" : source.label();
  }

  @Override
  public boolean areTrained() {
    return !known.isEmpty();
  }

  @Override
  public Object state() {
    return known;
  }

  /**
   * Relearns the model of one namespace with changed rows, the oldest model first; each namespace
   * at most once per {@link #MIN_INTERVAL}. Forgets namespaces without rows.
   *
   * @throws dev.cotenant.engine.lifecycle.StoreException when the store cannot be reached
   */
  public synchronized void refresh() {
    Map<String, Long> newest = store.newest();
    if (!newest.keySet().containsAll(known.keySet())) {
      Map<String, Known> left = new HashMap<>(known);
      left.keySet().retainAll(newest.keySet());
      known = left;
    }
    int models = Math.max(1, Integer.highestOneBit(2 * newest.size() - 1));
    Instant now = clock.instant();
    @Nullable String next = null;
    for (String namespace : new TreeSet<>(newest.keySet())) {
      if (isDue(known.get(namespace), newest.getOrDefault(namespace, 0L), models, now)
          && (next == null || learnedAt(namespace).isBefore(learnedAt(next)))) {
        next = namespace;
      }
    }
    if (next != null) {
      List<MeasuredSpeed> rows = store.of(next);
      ComparedSpeeds speeds = new ComparedSpeeds(rows);
      RiskModel model = learned(speeds, models);
      Map<String, Known> all = new HashMap<>(known);
      all.put(
          next,
          new Known(newest.getOrDefault(next, 0L), models, now, model, speeds, speeds.sources()));
      known = all;
    }
  }

  private static boolean isDue(@Nullable Known before, long newest, int models, Instant now) {
    return before == null
        || before.models != models
        || (before.newest != newest && !now.isBefore(before.learnedAt.plus(MIN_INTERVAL)));
  }

  private Instant learnedAt(String namespace) {
    Known before = known.get(namespace);
    return before == null ? Instant.MIN : before.learnedAt;
  }

  /**
   * Model of these measurements, in order.
   *
   * @param models that share one budget of memory
   */
  static RiskModel learned(ComparedSpeeds speeds, int models) {
    List<ComparedSpeeds.Compared> counted = speeds.counted();
    int most = (int) Math.sqrt(2.0 * MAX_FACTORS / models);
    RiskModel model = new RiskModel(RiskPrior.STATED, models);
    for (ComparedSpeeds.Compared one :
        counted.subList(Math.max(0, counted.size() - most), counted.size())) {
      MeasuredSpeed row = one.row();
      VictimColocation colocation = new VictimColocation(row.device(), row.job(), row.neighbours());
      double noise = Math.hypot(one.noise(), one.baseline());
      double speed = shrunk(model.estimate(colocation), one.ratio(), noise);
      model.learn(new SpeedMeasurement(colocation, speed, one.noise(), one.baseline()));
    }
    model.estimateAhead(MAX_AHEAD / models);
    return model;
  }

  private static double shrunk(SpeedEstimate estimate, double speed, double noise) {
    double most = MAX_DEVIATIONS * Math.hypot(estimate.deviation(), noise);
    return StrictMath.exp(
        Math.clamp(StrictMath.log(speed), estimate.mean() - most, estimate.mean() + most));
  }
}
