package dev.cotenant.domain.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.quantity.Utilization;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class RunSettingsTest {
  private static final RunSettings SERVING =
      RunSettings.of(ExecutionMode.INFERENCE, Precision.FP16);

  @Test
  void isTrainingInFp32WithPyTorchAndAdamUnlessStated() {
    assertThat(RunSettings.DEFAULT)
        .isEqualTo(
            new RunSettings(
                ExecutionMode.TRAINING,
                Precision.FP32,
                Framework.PYTORCH,
                new TrainingRecipe(Optimizer.ADAM, Checkpointing.NONE),
                Load.UNSTATED));
  }

  @ParameterizedTest
  @EnumSource
  void readsWhatAPrecisionPrints(Precision precision) {
    assertThat(Precision.parse(precision.toString())).isEqualTo(precision);
  }

  @Test
  void writesNamesInLowerCaseWithHyphens() {
    assertThat(Precision.AMP_BF16).hasToString("amp-bf16");
    assertThat(Framework.parse("onnx-runtime")).isEqualTo(Framework.ONNX_RUNTIME);
    assertThat(Optimizer.parse("adamw")).isEqualTo(Optimizer.ADAMW);
    assertThat(Checkpointing.parse("segments")).isEqualTo(Checkpointing.SEGMENTS);
  }

  @Test
  void listsTheOptionsForAnUnknownName() {
    assertThatThrownBy(() -> Framework.parse("caffe"))
        .isInstanceOf(InputException.class)
        .hasMessage(
            "Unknown framework 'caffe': use pytorch, pytorch-1, pytorch-2, tensorflow,"
                + " onnx-runtime or tensorrt.");
    assertThatThrownBy(() -> Precision.parse("int8"))
        .hasMessage("Unknown precision 'int8': use fp32, tf32, fp16, bf16, amp or amp-bf16.");
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, -1, Double.NaN, Double.POSITIVE_INFINITY, 1e10})
  void refusesRatesOutOfRange(double perSecond) {
    assertThatThrownBy(() -> new Load.RequestRate(perSecond))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("is " + perSecond);
  }

  @ParameterizedTest
  @ValueSource(doubles = {-0.1, 1, Double.NaN})
  void refusesInputWaitsOutOfRange(double share) {
    assertThatThrownBy(() -> new Load.InputWait(share)).isInstanceOf(InputException.class);
  }

  @Test
  void refusesALoadOfTheOtherMode() {
    assertThatThrownBy(() -> RunSettings.DEFAULT.withLoad(new Load.RequestRate(10)))
        .hasMessageContaining("applies to inference");
    assertThatThrownBy(() -> SERVING.withLoad(new Load.InputWait(0.5)))
        .hasMessageContaining("applies to training");
    assertThatThrownBy(() -> SERVING.withLoad(new Load.UtilizationLimit(Utilization.ofPercent(10))))
        .hasMessageContaining("applies to training");
    assertThatThrownBy(() -> new Load.UtilizationLimit(Utilization.IDLE))
        .hasMessageContaining("above 0 %");
  }

  @Test
  void refusesToTrainWithARuntimeForInference() {
    assertThatThrownBy(() -> RunSettings.DEFAULT.withFramework(Framework.TENSORRT))
        .hasMessage("The framework tensorrt runs inference only: use pytorch or tensorflow.");
    assertThat(SERVING.withFramework(Framework.TENSORRT).framework()).isEqualTo(Framework.TENSORRT);
  }

  @Test
  void limitsUtilizationByItsLoad() {
    assertThat(Load.UNSTATED.ceiling()).isEqualTo(Utilization.FULL);
    assertThat(new Load.RequestRate(20).ceiling()).isEqualTo(Utilization.FULL);
    assertThat(new Load.InputWait(0.9).ceiling().percent()).isCloseTo(10, within(1e-9));
    assertThat(new Load.UtilizationLimit(Utilization.ofPercent(12)).ceiling().percent())
        .isEqualTo(12);
  }
}
