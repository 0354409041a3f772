package dev.cotenant.interference;

import dev.cotenant.domain.quantity.SummedUtilization;
import dev.cotenant.interference.WorkloadProfileSource.FromGraph;
import dev.cotenant.interference.WorkloadProfileSource.Guessed;
import dev.cotenant.interference.WorkloadProfileSource.Profiled;
import dev.cotenant.interference.WorkloadProfileSource.Training;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/**
 * Workloads that share a whole GPU in time, by the curve over summed utilization: of which no more
 * is known than how busy they keep the device.
 */
public final class TrainingColocationModel implements InterferenceModel {
  /*
   * The curve answers for the one that suffers most, whichever it is. The bounds are those of a
   * deviation in speed with which 90 % of the jobs in Gavel's pairs are within theirs
   * (InterferenceBarsTest), for each further job again.
   */
  private static final String NAME = "summed-utilization";
  private static final double DEVIATION = 0.22;
  private static final double MIN_SPEED = 0.05;

  private final SummedUtilizationCurve curve = new SummedUtilizationCurve();

  @Override
  public OnWholeGpu onWholeGpu() {
    return new OnWholeGpu.SummedUtilization(curve);
  }

  @Override
  public Answer answer(Colocation colocation) {
    List<Double> percents = new ArrayList<>();
    for (Colocation.Member member : colocation.members()) {
      OptionalDouble percent = utilizationPercent(member.source());
      if (percent.isEmpty()) {
        return new Answer.Unavailable(NAME, "'" + member.name() + "' is not a training job");
      }
      if (member.share() != null) {
        return new Answer.Unavailable(NAME, "'" + member.name() + "' runs in a partition");
      }
      percents.add(percent.getAsDouble());
    }
    double sum = percents.stream().mapToDouble(Double::doubleValue).sum(); // in any order the same
    Interval slowdown = slowdown(sum, percents.size());
    List<Answer.Effect> effects =
        colocation.members().stream().map(_ -> new Answer.Effect(slowdown, null)).toList();
    return new Answer.Estimated(NAME, effects);
  }

  private static OptionalDouble utilizationPercent(WorkloadProfileSource source) {
    return switch (source) {
      case Training job -> OptionalDouble.of(job.utilizationPercent());
      case FromGraph known -> OptionalDouble.of(known.utilizationPercent());
      case Profiled _, Guessed _ -> OptionalDouble.empty();
    };
  }

  private Interval slowdown(double sumPercent, int jobs) {
    if (jobs == 1) {
      return new Interval(1, 1, 1);
    }
    double mean = curve.slowdown(SummedUtilization.ofPercent(sumPercent)).ratio();
    double reach = Interval.NORMAL_QUANTILE * DEVIATION * Math.sqrt(jobs - 1);
    return new Interval(
        mean,
        1 / Math.min(1, 1 / mean + reach),
        1 / Math.max(Math.min(MIN_SPEED, 1 / mean), 1 / mean - reach));
  }
}
