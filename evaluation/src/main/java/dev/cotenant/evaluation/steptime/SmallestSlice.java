package dev.cotenant.evaluation.steptime;

import dev.cotenant.domain.device.DevicePart;
import dev.cotenant.domain.profile.StepTimeRun;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * The smallest MIG instance that keeps a latency objective, chosen by predicted times and compared
 * with measured ones.
 */
final class SmallestSlice {
  /** Objectives, as multiples of the measured time on the largest instance. */
  private static final double[] OBJECTIVES = {1.25, 1.5, 2, 3, 5};

  private final ToDoubleFunction<StepTimeRun> upperSeconds;
  private int chosen;
  private int kept;
  private double excess;

  /**
   * @param upperSeconds the upper bound by which an instance is chosen
   */
  SmallestSlice(ToDoubleFunction<StepTimeRun> upperSeconds) {
    this.upperSeconds = upperSeconds;
  }

  /**
   * Chooses for each objective of one network at one batch.
   *
   * @param runs one of each instance
   */
  void choose(List<StepTimeRun> runs) {
    List<StepTimeRun> slices = new ArrayList<>(runs);
    slices.sort(Comparator.comparingDouble(run -> run.part().smShare()));
    if (slices.size() < DevicePart.MIG_SLICES.size()) {
      return;
    }
    for (double times : OBJECTIVES) {
      double objective = times * slices.getLast().seconds();
      int at = first(slices, run -> upperSeconds.applyAsDouble(run), objective);
      if (at < slices.size()) {
        chosen++;
        kept += slices.get(at).seconds() <= objective ? 1 : 0;
        int least = first(slices, StepTimeRun::seconds, objective);
        excess += (double) size(at) / size(Math.min(at, least)) - 1;
      }
    }
  }

  private static int size(int at) {
    return DevicePart.MIG_SLICES.get(at);
  }

  private static int first(
      List<StepTimeRun> slices, ToDoubleFunction<StepTimeRun> seconds, double objective) {
    return IntStream.range(0, slices.size())
        .filter(i -> seconds.applyAsDouble(slices.get(i)) <= objective)
        .findFirst()
        .orElse(slices.size());
  }

  /**
   * Coverage: the share of choices in which the measured time keeps the objective. Excess: by how
   * much the chosen instance is larger than the smallest that does.
   */
  List<StepTimeFigures> figures(String protocol, Bars bars) {
    return chosen == 0
        ? List.of()
        : List.of(
            new StepTimeFigures(
                protocol,
                StepTimeFigures.OURS,
                chosen,
                Map.of(
                    StepTimeMetric.COVERAGE,
                    100.0 * kept / chosen,
                    StepTimeMetric.EXCESS,
                    100 * excess / chosen),
                bars));
  }
}
