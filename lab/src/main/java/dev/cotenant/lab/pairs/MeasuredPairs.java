package dev.cotenant.lab.pairs;

import dev.cotenant.domain.colocation.TrainingPair;
import dev.cotenant.domain.device.Device;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;

/**
 * Measurements of job pairs on one device: the truth of a replay.
 *
 * @param device they ran on
 * @param jobs that may come, by name
 * @param speeds normalised speed of a job beside another, the least where there are several
 */
public record MeasuredPairs(Device device, List<ReplayedJob> jobs, Map<Together, Double> speeds) {
  /** One job beside another. */
  record Together(String own, String other) {}

  public MeasuredPairs {
    jobs = List.copyOf(jobs);
    speeds = Map.copyOf(speeds);
  }

  /** The speeds in measured pairs. */
  static Map<Together, Double> speeds(List<TrainingPair> rows) {
    Map<Together, Double> speeds = new HashMap<>();
    for (TrainingPair row : rows) {
      speeds.merge(
          new Together(row.own().name(), row.other().name()), row.normalisedSpeed(), Math::min);
    }
    return speeds;
  }

  /**
   * A job of a measured pair.
   *
   * @param summedPercent sum of the utilizations of the two alone, as measured, else as predicted
   * @param slowdown slowdown of the job beside the other, a ratio; below 1 is noise
   */
  public record Point(double summedPercent, double slowdown) {}

  /** Both jobs of every pair whose utilizations are known, by their names. */
  public List<Point> points() {
    Map<String, Double> utilization = new HashMap<>();
    for (ReplayedJob job : jobs) {
      job.expectedUtilizationPercent().ifPresent(percent -> utilization.put(job.name(), percent));
    }
    return speeds.entrySet().stream()
        .filter(pair ->
            utilization.containsKey(pair.getKey().own())
                && utilization.containsKey(pair.getKey().other()))
        .sorted(
            Map.Entry.comparingByKey(
                Comparator.comparing(Together::own).thenComparing(Together::other)))
        .map(pair ->
            new Point(
                utilization.getOrDefault(pair.getKey().own(), 0.0)
                    + utilization.getOrDefault(pair.getKey().other(), 0.0),
                1 / pair.getValue()))
        .toList();
  }

  /** The larger slowdown of the two; empty where the two were not measured together. */
  OptionalDouble worstSlowdown(ReplayedJob first, ReplayedJob second) {
    Double one = speeds.get(new Together(first.name(), second.name()));
    Double two = speeds.get(new Together(second.name(), first.name()));
    return one == null || two == null
        ? OptionalDouble.empty()
        : OptionalDouble.of(1 / Math.min(one, two));
  }

  /** Beside how many different jobs it stays within this slowdown, as they do. */
  int partners(ReplayedJob job, double slowdownLimit) {
    Set<String> partners = new HashSet<>();
    for (ReplayedJob other : jobs) {
      OptionalDouble worst = worstSlowdown(job, other);
      if (worst.isPresent() && worst.getAsDouble() <= slowdownLimit) {
        partners.add(other.name());
      }
    }
    return partners.size();
  }
}
