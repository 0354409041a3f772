package dev.cotenant.admission.pod;

import static dev.cotenant.admission.pod.PodJson.gpuPod;
import static dev.cotenant.admission.pod.PodJson.pod;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.Checkpointing;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Framework;
import dev.cotenant.domain.workload.Load;
import dev.cotenant.domain.workload.Optimizer;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.domain.workload.TrainingRecipe;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The annotations of pods with a GPU. */
class WorkloadAnnotationsTest {
  private final PodRequestReader reader = new PodRequestReader();

  private PodRequest read(JsonNode pod) {
    return reader.read(pod, "team-a");
  }

  private Colocatable colocatable(JsonNode pod) {
    return (Colocatable) read(pod);
  }

  @Test
  void readsEveryAnnotation() {
    WorkloadAnnotations workload =
        colocatable(
                gpuPod(
                    "{'cotenant.dev/model':'resnet50','cotenant.dev/batch-size':'64',"
                        + "'cotenant.dev/mode':'inference','cotenant.dev/gpu-memory':'8Gi',"
                        + "'cotenant.dev/slo-latency':'40ms','cotenant.dev/request-rate':'200',"
                        + "'cotenant.dev/max-slowdown':'1.05','cotenant.dev/batchsize':'1',"
                        + "'cotenant.dev/risk-budget-percent':'2.5',"
                        + "'cotenant.dev/expected-stay':'1h30m'}"))
            .workload();

    assertThat(workload.model()).isEqualTo("resnet50");
    assertThat(workload.batchSize()).isEqualTo(64);
    assertThat(workload.settings().mode()).isEqualTo(ExecutionMode.INFERENCE);
    assertThat(workload.gpuMemory()).isEqualTo(MemorySize.ofGiB(8));
    assertThat(workload.sloLatency()).isEqualTo(Duration.ofMillis(40));
    assertThat(workload.settings().load()).isEqualTo(new Load.RequestRate(200));
    assertThat(workload.maxSlowdown()).isEqualTo(Slowdown.ofRatio(1.05));
    assertThat(workload.riskBudget()).isEqualTo(0.025);
    assertThat(workload.stay()).isEqualTo(Duration.ofMinutes(90));
    assertThat(workload.unknown()).containsExactly("cotenant.dev/batchsize");
  }

  private WorkloadAnnotations annotated(String annotations) {
    return colocatable(gpuPod(annotations)).workload();
  }

  @Test
  void readsHowAWorkloadRuns() {
    WorkloadAnnotations training =
        annotated(
            "{'cotenant.dev/precision':'amp','cotenant.dev/framework':'tensorflow',"
                + "'cotenant.dev/optimizer':'sgd','cotenant.dev/checkpointing':'segments',"
                + "'cotenant.dev/input-bound-percent':'80'}");
    assertThat(training.settings())
        .isEqualTo(
            new RunSettings(
                ExecutionMode.TRAINING,
                Precision.AMP,
                Framework.TENSORFLOW,
                new TrainingRecipe(Optimizer.SGD, Checkpointing.SEGMENTS),
                new Load.InputWait(0.8)));
    WorkloadAnnotations limited = annotated("{'cotenant.dev/utilization-limit-percent':'12'}");
    assertThat(limited.settings().load())
        .isEqualTo(new Load.UtilizationLimit(Utilization.ofPercent(12)));
    WorkloadAnnotations served =
        annotated("{'cotenant.dev/framework':'tensorrt','cotenant.dev/request-rate':'10'}");
    assertThat(served.settings().framework()).isEqualTo(Framework.TENSORRT);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "{}; TRAINING",
        "{'cotenant.dev/slo-latency':'40ms'}; INFERENCE",
        "{'cotenant.dev/request-rate':'0.5'}; INFERENCE"
      })
  void takesALatencyOrRateForInferenceUnlessToldOtherwise(String annotations, ExecutionMode mode) {
    WorkloadAnnotations workload = colocatable(gpuPod(annotations)).workload();

    assertThat(workload.settings().mode()).isEqualTo(mode);
    assertThat(workload.batchSize()).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({"slo-latency,40ms", "request-rate,10"})
  void refusesALatencyOrRateOfTraining(String name, String value) {
    String annotations =
        "{'cotenant.dev/" + name + "':'" + value + "','cotenant.dev/mode':'training'}";

    assertThat(read(gpuPod(annotations)))
        .isInstanceOfSatisfying(
            PodRequest.Invalid.class,
            invalid ->
                assertThat(invalid.problems())
                    .singleElement()
                    .asString()
                    .contains("cotenant.dev/" + name, value, "absent of training"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "cotenant.dev/model; ../../etc/passwd",
        "cotenant.dev/model; sha256:12",
        "cotenant.dev/model; ''",
        "cotenant.dev/batch-size; 0",
        "cotenant.dev/batch-size; 1e3",
        "cotenant.dev/batch-size; 99999999999",
        "cotenant.dev/mode; Training",
        "cotenant.dev/gpu-memory; 8000",
        "cotenant.dev/gpu-memory; 7Ei",
        "cotenant.dev/gpu-memory; -8Gi",
        "cotenant.dev/slo-latency; 0s",
        "cotenant.dev/request-rate; NaN",
        "cotenant.dev/precision; int8",
        "cotenant.dev/framework; caffe",
        "cotenant.dev/framework; tensorrt",
        "cotenant.dev/optimizer; lbfgs",
        "cotenant.dev/checkpointing; yes",
        "cotenant.dev/input-bound-percent; 100",
        "cotenant.dev/input-bound-percent; -1",
        "cotenant.dev/utilization-limit-percent; 0",
        "cotenant.dev/utilization-limit-percent; 101",
        "cotenant.dev/max-slowdown; 0.99",
        "cotenant.dev/max-slowdown; Infinity",
        "cotenant.dev/risk-budget-percent; 100.1",
        "cotenant.dev/risk-budget-percent; -1",
        "cotenant.dev/risk-budget-percent; NaN",
        "cotenant.dev/expected-stay; 0s",
        "cotenant.dev/expected-stay; -1h",
        "cotenant.dev/expected-stay; 8761h",
        "cotenant.dev/expected-stay; forever",
        "gpu-fraction; 1.5"
      })
  void namesABadAnnotationItsValueAndItsRule(String name, String value) {
    String annotations = "{'" + name + "':'" + value + "'}";
    JsonNode pod =
        name.equals("gpu-fraction") ? pod(annotations, "[{'name':'c'}]") : gpuPod(annotations);

    PodRequest.Invalid invalid = (PodRequest.Invalid) read(pod);

    assertThat(invalid.problems()).hasSize(1);
    assertThat(invalid.problems().getFirst())
        .startsWith(name)
        .contains(" is \"" + value + "\": must be ");
  }
}
