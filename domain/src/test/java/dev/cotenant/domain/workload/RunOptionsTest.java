package dev.cotenant.domain.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.quantity.Utilization;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RunOptionsTest {
  private static RunSettings read(Map<String, String> texts) {
    return RunOptions.read(texts::get);
  }

  @Test
  void areTheDefaultsWhereNothingIsStated() {
    assertThat(read(Map.of())).isEqualTo(RunSettings.DEFAULT);
    assertThat(RunOptions.texts(RunSettings.DEFAULT))
        .isEqualTo(Map.of("mode", "training", "precision", "fp32"));
  }

  @Test
  void surviveARoundTrip() {
    RunSettings serving =
        RunSettings.of(ExecutionMode.INFERENCE, Precision.AMP_BF16)
            .withFramework(Framework.TENSORRT)
            .withLoad(new Load.RequestRate(12.5));
    RunSettings training =
        RunSettings.DEFAULT
            .withRecipe(new TrainingRecipe(Optimizer.SGD, Checkpointing.SEGMENTS))
            .withLoad(new Load.InputWait(0.25));
    RunSettings limited =
        RunSettings.DEFAULT.withLoad(new Load.UtilizationLimit(Utilization.ofPercent(12)));
    for (RunSettings settings : List.of(serving, training, limited)) {
      assertThat(read(RunOptions.texts(settings))).isEqualTo(settings);
    }
  }

  @Test
  void implyInferenceByARequestRate() {
    assertThat(read(Map.of("request_rate", "1e2")))
        .isEqualTo(
            RunSettings.of(ExecutionMode.INFERENCE, Precision.FP32)
                .withLoad(new Load.RequestRate(100)));
  }

  @ParameterizedTest
  @CsvSource({
    "request_rate, many, must be a number",
    "request_rate, NaN, must be a number",
    "request_rate, 0x1p3, must be a number",
    "request_rate, 1.2.3, must be a number",
    "request_rate, -1, must be above 0",
    "request_rate, 1e300, at most 1e9 requests per second",
    "input_bound_percent, 100, below 100 %",
    "input_bound_percent, -1, at least 0 %",
    "utilization_limit_percent, 0, must be above 0 %",
    "utilization_limit_percent, 101, at most 100 %",
    "framework, caffe, Unknown framework 'caffe'",
    "optimizer, lbfgs, Unknown optimizer 'lbfgs'",
    "checkpointing, true, Unknown checkpointing 'true'",
    "framework, tensorrt, runs inference only"
  })
  void nameWhatIsWrong(String name, String text, String message) {
    assertThatThrownBy(() -> read(Map.of(name, text)))
        .isInstanceOf(InputException.class)
        .hasMessageContaining(message);
  }

  @Test
  void stateOneLoad() {
    assertThatThrownBy(() -> read(Map.of("request_rate", "1", "input_bound_percent", "1")))
        .hasMessage("State one of request_rate, input_bound_percent, not several.");
  }
}
