package dev.cotenant.simulator.pairs;

import dev.cotenant.domain.colocation.TrainingPair;
import dev.cotenant.domain.device.Device;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;

/**
 * What was measured of jobs in pairs on one device: the truth of a replay.
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
