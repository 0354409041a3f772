package dev.cotenant.evaluation.steptime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.device.DevicePart;
import dev.cotenant.domain.graph.StepWork;
import dev.cotenant.domain.profile.StepTimeRun;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A network that takes 8, 4.2, 3, 2.2 and 1 s in 1, 2, 3, 4 and 7 slices. */
class SmallestSliceTest {
  private static final List<StepTimeRun> RUNS =
      List.of(run(7, 1), run(1, 8), run(2, 4.2), run(3, 3), run(4, 2.2));

  private static StepTimeRun run(int slices, double seconds) {
    return new StepTimeRun(
        "test:" + slices,
        new StepTimeRun.Network("net", "net", 224),
        "measured",
        DevicePart.mig(DeviceCatalogue.builtIn().require("a100-80gb"), slices),
        1,
        RunSettings.of(ExecutionMode.INFERENCE, Precision.TF32),
        new StepWork(1, 1e9, 0, 1e6, 1e6, 1e6, 10, 0, 1e5),
        seconds);
  }

  private static Map<StepTimeMetric, Double> chosen(double times, int expected) {
    SmallestSlice slice = new SmallestSlice(run -> times * run.seconds());
    slice.choose(RUNS);
    slice.choose(RUNS.subList(0, 3)); // not of all instances
    StepTimeFigures figures = slice.figures("p", Bars.NONE).getFirst();
    assertThat(figures.rows()).isEqualTo(expected);
    return figures.values();
  }

  /** Of 1.25 s none, of 1.5 and 2 s 7 slices, of 3 s 4 in place of 3, of 5 s 3 in place of 2. */
  @Test
  void aCautiousBoundTakesALargerOneThanIsNeeded() {
    Map<StepTimeMetric, Double> figures = chosen(1.3, 4);

    assertThat(figures.get(StepTimeMetric.COVERAGE)).isEqualTo(100);
    assertThat(figures.get(StepTimeMetric.EXCESS))
        .isCloseTo(100 * (1 / 3.0 + 1 / 2.0) / 4, within(1e-9));
  }

  @Test
  void aBoundThatIsHalfTheTimeKeepsNoObjective() {
    Map<StepTimeMetric, Double> figures = chosen(0.5, 5);

    assertThat(figures.get(StepTimeMetric.COVERAGE)).isZero();
    assertThat(figures.get(StepTimeMetric.EXCESS)).isZero();
  }

  @Test
  void nothingIsScoredWithoutAChoice() {
    assertThat(new SmallestSlice(StepTimeRun::seconds).figures("p", Bars.NONE)).isEmpty();
  }
}
