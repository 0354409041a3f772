package dev.cotenant.evaluation.shareability;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.device.DevicePart;
import dev.cotenant.domain.evaluation.EvaluationRow;
import dev.cotenant.domain.graph.StepWork;
import dev.cotenant.domain.profile.StepTimeRun;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class InferenceBoundsTest {
  private static final StepWork RESNET50 =
      new StepWork(32, 4.1e9, 0, 1.1e7, 6e7, 2.6e7, 126, 0, 602_112);

  private static StepTimeRun run(ExecutionMode mode, double seconds) {
    return new StepTimeRun(
        "test:1",
        new StepTimeRun.Network("resnet50", "resnet", 224),
        "measured",
        DevicePart.whole(DeviceCatalogue.builtIn().require("a100-40gb")),
        1,
        RunSettings.of(mode, Precision.FP32),
        RESNET50,
        seconds);
  }

  /** A microsecond is below every bound, an hour above; training judges no inference. */
  @Test
  void countsHowOftenBoundsOfInferenceHold() {
    List<EvaluationRow> table =
        InferenceBounds.evaluate(
            Map.of(
                "measured",
                List.of(
                    run(ExecutionMode.INFERENCE, 1e-6),
                    run(ExecutionMode.INFERENCE, 3600),
                    run(ExecutionMode.TRAINING, 3600))));

    assertThat(table)
        .singleElement()
        .satisfies(row -> {
          assertThat(row.protocol()).startsWith("inference: shipped, bound at 90 %");
          assertThat(row.metric()).isEqualTo("bound_coverage/step-time");
          assertThat(row.value()).isEqualTo(0.5);
          assertThat(row.rows()).isEqualTo(2);
        });
  }
}
