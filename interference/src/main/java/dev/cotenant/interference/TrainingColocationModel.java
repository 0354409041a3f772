package dev.cotenant.interference;

import dev.cotenant.domain.quantity.SummedUtilization;
import dev.cotenant.interference.training.ProductFormula;
import java.util.ArrayList;
import java.util.List;

/**
 * Training jobs that share a whole GPU, without partitions.
 *
 * <p>Two jobs whose memory-bandwidth utilization is known get a formula of both; others the curve
 * over summed utilization. Jobs not seen in training the formula were off by 0.07 in normalised
 * speed on average.
 */
public final class TrainingColocationModel implements InterferenceModel {
  /*
   * The formula is what TrainingPairModel says of jobs it never saw, fitted to the colocation
   * measurements published with Lucid (ASPLOS'23, RTX 3090, 813 pairs without the dead ones) and
   * rounded to four digits; InterferenceBarsTest fits it again. Its
   * bounds are those of a deviation of 0.08 in speed, the prior deviations of unseen models and
   * configurations on both sides with the noise, which held in 90 % of cases with every model left
   * out in turn. More than two jobs: each beside the sum of the others would be outside what was
   * measured, so the curve answers, with the same deviation for each further job.
   */
  private static final ProductFormula FORMULA =
      new ProductFormula(
          new double[] {
            -0.2405, -0.1590, 0.0372, -0.4107, 0.3696, 0.1012, -0.0047, 0.0063, -0.0588
          },
          0.9811);
  private static final double DEVIATION = 0.083;
  private static final double MIN_SPEED = 0.05;

  /** The formula for pairs whose memory bandwidth is known. */
  public static ProductFormula shippedFormula() {
    return FORMULA;
  }

  private final SummedUtilizationCurve curve = new SummedUtilizationCurve();

  /** Beyond pairs whose bandwidth is known. */
  SummedUtilizationCurve curve() {
    return curve;
  }

  @Override
  public String name() {
    return "training-pairs";
  }

  @Override
  public OnWholeGpu onUtilizationAlone() {
    return new OnWholeGpu.SummedUtilization(curve);
  }

  @Override
  public OnWholeGpu onGraphsKnown() {
    return new OnWholeGpu.Unavailable();
  }

  @Override
  public Answer answer(Colocation colocation) {
    List<WorkloadProfileSource.Training> jobs = new ArrayList<>();
    boolean measured = true;
    for (Colocation.Member member : colocation.members()) {
      if (!(member.source() instanceof WorkloadProfileSource.Training job)) {
        return new Answer.Unavailable(name(), "'" + member.name() + "' is not a training job");
      }
      if (member.share() != null) {
        return new Answer.Unavailable(name(), "'" + member.name() + "' runs in a partition");
      }
      measured &= job.bandwidthPercent() != null;
      jobs.add(job);
    }
    boolean formula = measured && jobs.size() == 2;
    List<Answer.Effect> effects = new ArrayList<>();
    for (int i = 0; i < jobs.size(); i++) {
      double speed =
          jobs.size() == 1 ? 1 : formula ? speed(jobs.get(i), jobs.get(1 - i)) : curveSpeed(jobs);
      effects.add(
          new Answer.Effect(
              colocation.members().get(i).name(), slowdown(speed, jobs.size()), null, null));
    }
    return new Answer.Estimated(formula ? name() : "summed-utilization", effects, null);
  }

  private static double speed(
      WorkloadProfileSource.Training own, WorkloadProfileSource.Training other) {
    return FORMULA.speed(
        own.utilizationPercent() / 100.0,
        other.utilizationPercent() / 100.0,
        bandwidth(own) / 100.0,
        bandwidth(other) / 100.0);
  }

  private static double bandwidth(WorkloadProfileSource.Training job) {
    Double percent = job.bandwidthPercent();
    return percent == null ? 0 : percent;
  }

  private double curveSpeed(List<WorkloadProfileSource.Training> jobs) {
    double sum =
        jobs.stream().mapToDouble(WorkloadProfileSource.Training::utilizationPercent).sum();
    return 1 / curve.slowdown(SummedUtilization.ofPercent(sum)).ratio();
  }

  private static Interval slowdown(double speed, int jobs) {
    if (jobs == 1) {
      return new Interval(1, 1, 1);
    }
    double reach = Interval.NORMAL_QUANTILE * DEVIATION * Math.sqrt(jobs - 1);
    return new Interval(
        1 / speed,
        1 / Math.min(1, speed + reach),
        1 / Math.max(Math.min(MIN_SPEED, speed), speed - reach));
  }
}
