package dev.cotenant.lab.risk;

import dev.cotenant.domain.colocation.TrainingPair;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.interference.risk.SharedJob;
import dev.cotenant.interference.risk.SpeedMeasurement;
import dev.cotenant.interference.risk.VictimColocation;
import dev.cotenant.lab.pairs.PairWorld;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Measured pairs of jobs that were measured alone as well, by the numbers of jobs in the order of
 * names.
 */
public final class PairTable {
  private final String device;
  private final MemorySize capacity;
  private final List<SharedJob> jobs = new ArrayList<>();
  private final List<MemorySize> memory = new ArrayList<>();
  private final List<Row> rows = new ArrayList<>();
  private final double[][] speeds;

  /**
   * A measurement.
   *
   * @param victim number of the job whose speed was measured
   * @param aggressor number of its neighbour
   * @param speed of the victim over its speed alone
   */
  public record Row(int victim, int aggressor, double speed) {}

  /** Of the pairs of one device. */
  public PairTable(List<TrainingPair> pairs) {
    device = pairs.getFirst().device();
    capacity = DeviceCatalogue.builtIn().require(device).memory();
    SortedMap<String, Integer> numbers = numbers(pairs);
    speeds = new double[jobs.size()][jobs.size()];
    Arrays.stream(speeds).forEach(row -> Arrays.fill(row, Double.NaN));
    for (TrainingPair pair : pairs) {
      Integer own = numbers.get(pair.own().name());
      Integer other = numbers.get(pair.other().name());
      if (own != null && other != null) {
        rows.add(new Row(own, other, pair.normalisedSpeed()));
        double before = speeds[own][other];
        speeds[own][other] =
            Double.isNaN(before)
                ? pair.normalisedSpeed()
                : Math.min(before, pair.normalisedSpeed());
      }
    }
  }

  /**
   * Of pairs with a simulated cluster, where what the shipped predictor expects stands in for usage
   * that was not measured alone.
   */
  public PairTable(PairWorld world) {
    capacity = world.device().memory();
    device = world.device().id().value();
    for (PairWorld.Configuration one : world.configurations()) {
      jobs.add(SharedJob.ofUtilization(one.name(), one.model(), one.utilizationPercent()));
      memory.add(one.memory());
    }
    speeds = new double[jobs.size()][jobs.size()];
    for (int own = 0; own < jobs.size(); own++) {
      for (int other = 0; other < jobs.size(); other++) {
        String name = jobs.get(own).configuration();
        String beside = jobs.get(other).configuration();
        speeds[own][other] = Double.NaN;
        if (world.wereMeasured(name, beside)) {
          speeds[own][other] = world.measured(name, beside);
          rows.add(new Row(own, other, speeds[own][other]));
        }
      }
    }
  }

  private SortedMap<String, Integer> numbers(List<TrainingPair> pairs) {
    SortedMap<String, TrainingPair.Job> byName = new TreeMap<>();
    pairs.forEach(pair -> byName.put(pair.own().name(), pair.own()));
    SortedMap<String, Integer> numbers = new TreeMap<>();
    byName.forEach((name, job) -> {
      TrainingPair.Usage usage = job.usage();
      if (usage != null) {
        numbers.put(name, jobs.size());
        jobs.add(
            new SharedJob(
                name,
                job.model(),
                usage.utilizationPercent() / 100,
                usage.bandwidthPercent() / 100));
        memory.add(MemorySize.ofBytesRoundedUp(usage.memoryMebibytes() * MemorySize.MIB));
      }
    });
    return numbers;
  }

  /** Jobs by number. */
  public List<SharedJob> jobs() {
    return List.copyOf(jobs);
  }

  /** All measurements, in the order of the set. */
  List<Row> rows() {
    return List.copyOf(rows);
  }

  /** Numbers of the jobs in the order in which the set has them first. */
  int[] inOrderOfTheSet() {
    return rows.stream()
        .flatMapToInt(row -> IntStream.of(row.victim(), row.aggressor()))
        .distinct()
        .toArray();
  }

  /** Models in the order of names. */
  List<String> models() {
    return jobs.stream().map(SharedJob::model).distinct().sorted().toList();
  }

  SharedJob job(int number) {
    return jobs.get(number);
  }

  String model(int job) {
    return jobs.get(job).model();
  }

  double utilization(int job) {
    return jobs.get(job).utilization();
  }

  /** Product of the measured GPU. */
  public String device() {
    return device;
  }

  MemorySize memory(int job) {
    return memory.get(job);
  }

  /** Whether the two were measured together. */
  boolean areMeasured(int one, int other) {
    return !Double.isNaN(speeds[one][other]) && !Double.isNaN(speeds[other][one]);
  }

  boolean fit(int one, int other) {
    return memory(one).plus(memory(other)).isAtMost(capacity);
  }

  /** Speed of a job beside another, the least of several measurements. */
  double speed(int victim, int aggressor) {
    return speeds[victim][aggressor];
  }

  /** Whether a job of the two is slowed by more. */
  boolean isSlowed(int one, int other, double limit) {
    return 1 / Math.min(speeds[one][other], speeds[other][one]) > limit;
  }

  VictimColocation colocation(int victim, int aggressor) {
    return new VictimColocation(device, jobs.get(victim), List.of(jobs.get(aggressor)));
  }

  SpeedMeasurement measurement(Row row) {
    return new SpeedMeasurement(colocation(row.victim(), row.aggressor()), row.speed(), 0);
  }

  /** Whether a job of a measurement is of a model. */
  boolean isOf(Row row, String model) {
    return model(row.victim()).equals(model) || model(row.aggressor()).equals(model);
  }
}
