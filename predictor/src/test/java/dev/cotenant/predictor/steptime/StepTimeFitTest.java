package dev.cotenant.predictor.steptime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.device.DevicePart;
import dev.cotenant.domain.graph.StepWork;
import dev.cotenant.domain.profile.StepTimeRun;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.predictor.steptime.ShotCorrection.Group;
import dev.cotenant.predictor.steptime.ShotCorrection.Shot;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Fits to synthetic runs that the forms describe exactly. */
class StepTimeFitTest {
  private static final RunSettings AMP = RunSettings.of(ExecutionMode.INFERENCE, Precision.AMP);
  private static final StepWork RESNET50 =
      new StepWork(1, 4.089e9, 0, 1.111e7, 8.089e7, 2.553e7, 174, 0, 602_112);

  private static StepTimeRun run(StepWork work, DevicePart part, double seconds) {
    return new StepTimeRun(
        "test:1", new StepTimeRun.Network("n", "n", 224), "test", part, 1, AMP, work, seconds);
  }

  private static List<StepTimeRun> runs(StepTimeFormula truth) {
    Random random = new Random(3);
    List<StepTimeRun> runs = new ArrayList<>();
    for (String device : List.of("rtx-3090", "a100-40gb", "v100", "t4")) {
      DevicePart part = DevicePart.whole(DeviceCatalogue.builtIn().require(device));
      for (int i = 0; i < 60; i++) {
        StepWork work =
            StepWork.ofTotals(
                random.nextInt(16, 512),
                new StepWork.Totals(
                    Math.exp(random.nextDouble(18, 24)),
                    Math.exp(random.nextDouble(14, 17)),
                    150_528,
                    Math.exp(random.nextDouble(15, 18))));
        runs.add(run(work, part, truth.of(work, AMP, part).seconds()));
      }
    }
    return runs;
  }

  @Test
  void recoversCoefficients() {
    StepTimeFormula truth = new StepTimeFormula(new StepTimeCoefficients(0.6, 1.9, 90, 1.2, 4));
    StepTimeCoefficients found = FormulaFit.of(runs(truth)).coefficients();
    assertThat(found.computeEfficiency()).isCloseTo(0.6, within(0.03));
    assertThat(found.trafficFactor()).isCloseTo(1.9, within(0.1));
    assertThat(found.overlapExponent()).isCloseTo(1.2, within(0.1));
  }

  @Test
  void staysTypicalWithoutRuns() {
    assertThat(FormulaFit.of(List.of()).coefficients().computeEfficiency())
        .isCloseTo(0.8, within(1e-6));
  }

  @Test
  void recoversAPartitionFromAFewCells() {
    PartitionForm truth = new PartitionForm(4.5e-3, 1.5e-4, 1e-4, 1.4e-4, 2.5e-4, 6, 9e-5);
    List<StepTimeRun> cells = new ArrayList<>();
    for (int slices : new int[] {1, 2, 4, 7}) {
      DevicePart part = DevicePart.mig(DeviceCatalogue.builtIn().require("a100-80gb"), slices);
      for (int batch : new int[] {1, 16, 64}) {
        cells.add(run(RESNET50.atBatch(batch), part, truth.seconds(part, batch)));
      }
    }
    PartitionForm found = PartitionForm.of(cells, StepTimeFormula.typical());
    DevicePart three = DevicePart.mig(DeviceCatalogue.builtIn().require("a100-80gb"), 3);
    for (int batch : new int[] {2, 8, 32, 128}) {
      assertThat(found.seconds(three, batch) / truth.seconds(three, batch))
          .isCloseTo(1, within(0.1));
    }
  }

  @Test
  void copiesUseIdleTimeAndThenWait() {
    StepTime mostlyIdle = new StepTime(1e-3, 9e-3, 0);
    StepTime busy = new StepTime(9.9e-3, 1e-3, 0);
    MpsCopies copies = MpsCopies.TYPICAL;
    assertThat(copies.seconds(new MpsCopies.Solo(0.01, mostlyIdle), 3))
        .isCloseTo(0.01, within(2e-4));
    assertThat(copies.seconds(new MpsCopies.Solo(0.01, busy), 3)).isGreaterThan(0.025);
    for (int n = 1; n < 10; n++) {
      assertThat(copies.seconds(new MpsCopies.Solo(0.01, busy), n))
          .isLessThanOrEqualTo(MpsCopies.upperSeconds(0.01, n))
          .isGreaterThanOrEqualTo(0.01);
    }
  }

  @Test
  void movesPredictionsTowardsMeasuredRuns() {
    DevicePart part = DevicePart.whole(DeviceCatalogue.builtIn().require("t4"));
    StepTimeRun other = run(RESNET50.atBatch(8), part, 0.02);
    double one = ShotCorrection.of(Group.DEVICE, List.of(new Shot(other, 0.4)), other);
    double four =
        ShotCorrection.of(
            Group.DEVICE,
            List.of(
                new Shot(other, 0.4),
                new Shot(other, 0.4),
                new Shot(other, 0.4),
                new Shot(other, 0.4)),
            other);
    assertThat(ShotCorrection.of(Group.DEVICE, List.of(), other)).isZero();
    assertThat(one).isBetween(0.1, 0.3);
    assertThat(four).isBetween(one, 0.4);
  }
}
