package dev.cotenant.engine.risk;

import dev.cotenant.interference.risk.SharedJob;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * Colocated speeds of a namespace over solo speeds, per colocation from its most trusted source.
 */
final class ComparedSpeeds {
  /*
   * A speed alone is trusted once it was measured twice, and durations and activities only where
   * runs alone agree: work that differs from run to run says nothing. A GPU's activity over the sum
   * of what its tenants take alone stands for the mean of their speeds. How the logarithm of a speed
   * follows it is a slope through the origin, fitted to the sharings of which both are known; its
   * residuals are the noise. Without enough of these sharings, or with a poor fit, activities do not
   * count.
   */
  /** A single measurement may be an outlier. */
  private static final int MIN_ALONE = 2;

  /**
   * One in five solo speeds deviates by 8 % or more, which gives this standard deviation of a
   * normal error. The baseline is their median.
   */
  private static final double NOISE_ALONE = 0.0624;

  /** Of the logarithm of durations or activities alone; beyond, runs are not alike. */
  private static final double MAX_SPREAD = 0.15;

  /** Sharings of which both a speed and an activity are known. */
  private static final int MIN_CALIBRATED = 8;

  /** Residual deviation beyond which an activity says too little. */
  private static final double MAX_RESIDUAL = 0.15;

  private static final double MAX_SLOPE = 2;

  private final Map<Baseline, SoloSpeed> alone;
  private final Map<SpeedSource, Calibration> calibrations = new EnumMap<>(SpeedSource.class);
  private final List<Compared> counted = new ArrayList<>();

  /** What speeds alone are comparable within. */
  private record Baseline(String device, String configuration, SpeedSource source, String work) {
    static Baseline of(MeasuredSpeed row) {
      return of(row, row.job());
    }

    static Baseline of(MeasuredSpeed row, SharedJob job) {
      return new Baseline(row.device(), job.configuration(), row.source(), row.work());
    }
  }

  /** Who was beside whom. */
  private record Cell(String device, String configuration, List<String> neighbours) {
    static Cell of(MeasuredSpeed row) {
      return new Cell(
          row.device(),
          row.job().configuration(),
          row.neighbours().stream().map(SharedJob::configuration).sorted().toList());
    }
  }

  private record Calibration(double slope, double residual) {}

  /**
   * A row that counts.
   *
   * @param ratio speed over the speed alone
   * @param noise of its logarithm
   * @param baseline of the logarithm of the speed alone
   */
  record Compared(MeasuredSpeed row, double ratio, double noise, double baseline) {}

  /** Compares all rows of a namespace, in order. */
  ComparedSpeeds(List<MeasuredSpeed> rows) {
    alone = alone(rows);
    List<Compared> all = new ArrayList<>();
    for (MeasuredSpeed row : rows) {
      if (!row.isAlone()) {
        compared(row).ifPresent(all::add);
      }
    }
    for (SpeedSource source : SpeedSource.values()) {
      if (source.isOfGpu()) {
        calibrated(source, all).ifPresent(found -> calibrations.put(source, found));
      }
    }
    Map<Cell, SpeedSource> best = new HashMap<>();
    for (Compared one : all) {
      if (isUsable(one.row.source())) {
        best.merge(Cell.of(one.row), one.row.source(), this::moreTrusted);
      }
    }
    for (Compared one : all) {
      if (one.row.source() == best.get(Cell.of(one.row))) {
        counted.add(adjusted(one));
      }
    }
  }

  /** The counted comparisons, in order. */
  List<Compared> counted() {
    return counted;
  }

  /** The speed alone as pods state it themselves; empty where that was not measured twice. */
  Optional<SoloSpeed> alone(String device, String configuration) {
    return Optional.ofNullable(
        alone.get(new Baseline(device, configuration, SpeedSource.PROGRESS, "")));
  }

  /** The most trusted source of a victim's speeds; empty where none counts. */
  Map<String, SpeedSource> sources() {
    Map<String, SpeedSource> sources = new HashMap<>();
    for (Compared one : counted) {
      sources.merge(
          key(one.row.device(), one.row.job().configuration()),
          one.row.source(),
          this::moreTrusted);
    }
    return sources;
  }

  /** Key of a configuration on a product. */
  static String key(String device, String configuration) {
    return device + "\n" + configuration;
  }

  private boolean isUsable(SpeedSource source) {
    return !source.isOfGpu() || calibrations.containsKey(source);
  }

  /** Of two activities the one that follows speeds closer. */
  private SpeedSource moreTrusted(SpeedSource one, SpeedSource other) {
    @Nullable Calibration first = calibrations.get(one);
    @Nullable Calibration second = calibrations.get(other);
    if (first != null && second != null) {
      return first.residual <= second.residual ? one : other;
    }
    return one.compareTo(other) <= 0 ? one : other;
  }

  private Compared adjusted(Compared one) {
    @Nullable Calibration known = calibrations.get(one.row.source());
    return known == null
        ? one
        : new Compared(
            one.row,
            StrictMath.pow(one.ratio, known.slope),
            Math.max(one.noise, known.residual),
            one.baseline);
  }

  private Optional<Compared> compared(MeasuredSpeed row) {
    @Nullable SoloSpeed own = alone.get(Baseline.of(row));
    if (own == null) {
      return Optional.empty();
    }
    SpeedSource source = row.source();
    if (!source.isOfGpu()) {
      double noise = Math.max(source.noise(), source == SpeedSource.PROGRESS ? 0 : own.deviation());
      return Optional.of(new Compared(row, row.speed() / own.median(), noise, own.deviation()));
    }
    double together = own.median();
    for (SharedJob neighbour : row.neighbours()) {
      @Nullable SoloSpeed other = alone.get(Baseline.of(row, neighbour));
      if (other == null) {
        return Optional.empty();
      }
      together += other.median();
    }
    return Optional.of(new Compared(row, row.speed() / together, source.noise(), own.deviation()));
  }

  private Optional<Calibration> calibrated(SpeedSource source, List<Compared> all) {
    Map<Cell, List<Double>> activities = new HashMap<>();
    Map<Cell, List<Double>> speeds = new HashMap<>();
    for (Compared one : all) {
      Cell cell = Cell.of(one.row);
      if (one.row.source() == source) {
        activities.computeIfAbsent(cell, _ -> new ArrayList<>()).add(StrictMath.log(one.ratio));
      } else if (!one.row.source().isOfGpu()) {
        speeds.computeIfAbsent(cell, _ -> new ArrayList<>()).add(StrictMath.log(one.ratio));
      }
    }
    activities.keySet().retainAll(speeds.keySet());
    double squares = 0;
    double products = 0;
    for (Map.Entry<Cell, List<Double>> entry : activities.entrySet()) {
      double activity = mean(entry.getValue());
      squares += activity * activity;
      products += activity * mean(Objects.requireNonNull(speeds.get(entry.getKey())));
    }
    if (activities.size() < MIN_CALIBRATED || !(squares > 0)) {
      return Optional.empty();
    }
    double slope = Math.clamp(products / squares, 0, MAX_SLOPE);
    double residuals = 0;
    for (Map.Entry<Cell, List<Double>> entry : activities.entrySet()) {
      double of = mean(Objects.requireNonNull(speeds.get(entry.getKey())));
      double residual = of - slope * mean(entry.getValue());
      residuals += residual * residual;
    }
    double deviation = Math.sqrt(residuals / (activities.size() - 1));
    return slope > 0 && deviation <= MAX_RESIDUAL
        ? Optional.of(new Calibration(slope, deviation))
        : Optional.empty();
  }

  /** Speeds of one run share the error of that run: pods average it away, repetitions do not. */
  private static Map<Baseline, SoloSpeed> alone(List<MeasuredSpeed> rows) {
    Map<Baseline, List<MeasuredSpeed>> speeds = new HashMap<>();
    for (MeasuredSpeed row : rows) {
      if (row.isAlone()) {
        speeds.computeIfAbsent(Baseline.of(row), _ -> new ArrayList<>()).add(row);
      }
    }
    Map<Baseline, SoloSpeed> alone = new HashMap<>();
    speeds.forEach((baseline, measured) -> {
      List<Double> all = measured.stream().map(MeasuredSpeed::speed).toList();
      OptionalDouble error = errorOfOne(baseline.source, all);
      if (all.size() >= MIN_ALONE && error.isPresent()) {
        long pods = measured.stream().map(MeasuredSpeed::pod).distinct().count();
        alone.put(
            baseline, new SoloSpeed(median(all), error.getAsDouble() / Math.sqrt((double) pods)));
      }
    });
    return alone;
  }

  /** Empty where runs are not alike. */
  private static OptionalDouble errorOfOne(SpeedSource source, List<Double> all) {
    if (source == SpeedSource.PROGRESS) {
      return OptionalDouble.of(NOISE_ALONE);
    }
    List<Double> logarithms = all.stream().map(StrictMath::log).toList();
    double mean = mean(logarithms);
    double squares = 0;
    for (double one : logarithms) {
      squares += (one - mean) * (one - mean);
    }
    double spread = Math.sqrt(squares / Math.max(1, all.size() - 1));
    return spread > MAX_SPREAD
        ? OptionalDouble.empty()
        : OptionalDouble.of(Math.max(NOISE_ALONE, spread));
  }

  private static double mean(List<Double> values) {
    double sum = 0;
    for (double value : values) {
      sum += value;
    }
    return sum / values.size();
  }

  private static double median(List<Double> values) {
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
