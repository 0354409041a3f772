package dev.cotenant.engine.view;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Evidence;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.decision.PlacementRequest.ExclusiveCause;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.forecast.MemoryForecast;
import dev.cotenant.domain.graph.ExecutionFeatures;
import dev.cotenant.domain.graph.GraphFeatures;
import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.graph.StoredParameters;
import dev.cotenant.domain.graph.WorkClass;
import dev.cotenant.domain.prediction.CalibrationGroup;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.SummedUtilization;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.RunSettings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The JSON contract: exact keys, in order, each with its unit. */
class ViewsTest {
  private static final Prediction PREDICTION =
      new Prediction(
          new DeviceId("a100-40gb"),
          64,
          RunSettings.DEFAULT,
          new UtilizationEstimate(
              Utilization.ofPercent(80.12345),
              Utilization.ofPercent(70),
              Utilization.ofPercent(90),
              Coverage.of(0.9),
              new CalibrationGroup("cnn on a100-40gb", 543)),
          new MemoryEstimate(
              MemorySize.ofBytes(200),
              MemorySize.ofBytes(100),
              MemorySize.ofBytes(300),
              Coverage.of(0.9)),
          "forest-1-abc",
          List.of("outside the data"));

  private final ObjectMapper json = new ObjectMapper();

  @Test
  void printsPredictions() throws JsonProcessingException {
    assertThat(json.writeValueAsString(PredictionView.ofFile("m.onnx", PREDICTION)))
        .isEqualTo(
            "{\"path\":\"m.onnx\",\"device\":\"a100-40gb\",\"mode\":\"training\","
                + "\"precision\":\"fp32\",\"batch_size\":64,"
                + "\"utilization_percent\":{\"mean\":80.123,\"lower\":70.0,\"upper\":90.0,"
                + "\"coverage\":0.9,"
                + "\"calibration\":{\"group\":\"cnn on a100-40gb\",\"rows\":543}},"
                + "\"peak_memory_bytes\":{\"mean\":200,\"lower\":100,\"upper\":300,"
                + "\"coverage\":0.9},"
                + "\"model_version\":\"forest-1-abc\",\"warnings\":[\"outside the data\"]}");
  }

  @Test
  void printsFeatures() throws JsonProcessingException {
    GraphFeatures features =
        new GraphFeatures(
            new ModelFeatures(
                new LayerCounts(1, 2, 3, 4),
                2,
                5,
                MemorySize.ofBytes(20),
                7,
                MemorySize.ofBytes(8),
                MemorySize.ofBytes(4),
                1),
            new ExecutionFeatures(
                Map.of(WorkClass.LINEAR, 5L, WorkClass.ATTENTION, 2L),
                MemorySize.ofBytes(10),
                MemorySize.ofBytes(11),
                MemorySize.ofBytes(7),
                12,
                13,
                14),
            List.of(new StoredParameters("float", 5, MemorySize.ofBytes(20))),
            MemorySize.ofBytes(6),
            9,
            1,
            List.of());

    assertThat(json.writeValueAsString(FeaturesView.of("m.onnx", features)))
        .isEqualTo(
            "{\"path\":\"m.onnx\",\"multiply_accumulates\":7,\"flops\":14,\"parameters\":5,"
                + "\"model_size_bytes\":20,\"activation_bytes\":8,\"input_bytes\":4,\"peak_activation_bytes\":6,"
                + "\"convolution_layers\":1,\"linear_layers\":2,\"activation_layers\":3,"
                + "\"other_layers\":4,\"normalization_layers\":2,\"operators\":9,\"multiply_accumulates_by_class\":"
                + "{\"convolution\":0,\"grouped_convolution\":0,\"depthwise_convolution\":0,"
                + "\"linear\":5,\"attention\":2,\"matrix_product\":0,\"recurrent\":0},"
                + "\"parameters_by_type\":"
                + "[{\"element_type\":\"float\",\"parameters\":5,\"size_bytes\":20}],"
                + "\"activation_read_bytes\":10,\"activation_write_bytes\":11,"
                + "\"weight_read_bytes\":7,\"arithmetic_intensity_flops_per_byte\":0.5,"
                + "\"kernels\":12,\"kernel_depth\":13,\"kernel_width\":14,"
                + "\"batch_size\":1,\"shape_coverage\":1.0,\"warnings\":[]}");
  }

  @Test
  void printsForecastsWithWhatIsFree() throws JsonProcessingException {
    MemoryForecast forecast =
        new MemoryForecast(
            "cbp",
            new MemoryForecast.Applies(
                "steady",
                MemorySize.ofBytes(10),
                MemorySize.ofBytes(20),
                MemorySize.ofBytes(30),
                null),
            Duration.ofMinutes(5),
            30,
            Duration.ofSeconds(4));

    assertThat(json.writeValueAsString(ForecastView.of(forecast, MemorySize.ofBytes(100))))
        .isEqualTo(
            "{\"estimator\":\"cbp\",\"applies\":true,\"reason\":\"steady\",\"next_bytes\":10,"
                + "\"peak_bytes\":20,\"peak_upper_bytes\":30,\"coverage\":null,"
                + "\"horizon_seconds\":300,\"free_bytes\":70,\"samples\":30,\"age_seconds\":4}");
  }

  /** Such as of a model whose folder cannot be read. */
  @Test
  void saysWhyAGpuIsGivenWhole() {
    Decision whole =
        new Decision.Admitted(
            List.of(new Grant("GPU-1", "n1", null)),
            new Evidence.FreeGpus(
                1, new ExclusiveCause.ModelUnknown("/models/a", "its header is torn", false)));

    assertThat(DecisionView.of("a/b", "", whole).wholeGpuReason())
        .startsWith("a whole GPU: ")
        .contains("its header is torn");
  }

  @Test
  void numbersReasonsFromOne() throws JsonProcessingException {
    Decision held =
        new Decision.Held(
            List.of(
                new Reason.UtilizationExceeded(
                    "GPU-1",
                    "n1",
                    SummedUtilization.ofPercent(70),
                    Utilization.ofPercent(5),
                    Utilization.ofPercent(45),
                    SummedUtilization.ofPercent(100),
                    null),
                new Reason.NoMetrics("GPU-2", "n2")));

    assertThat(json.writeValueAsString(DecisionView.of("a/b", "resnet18", held)))
        .isEqualTo(
            "{\"workload\":\"a/b\",\"result\":\"Held\",\"grants\":[],\"reasons\":["
                + "{\"number\":1,\"code\":\"UtilizationExceeded\",\"message\":\"GPU-1 on n1:"
                + " predicted utilization would sum to 120.0 % (tenants 70.0 % + unattributed usage"
                + " 5.0 % + this workload"
                + " 45.0 %), limit 100.0 %\",\"numbers\":{\"gpu\":\"GPU-1\",\"node\":\"n1\","
                + "\"tenants_percent\":70.0,\"unattributed_usage_percent\":5.0,"
                + "\"workload_upper_percent\":45.0,"
                + "\"limit_percent\":100.0}},"
                + "{\"number\":2,\"code\":\"NoMetrics\",\"message\":\"GPU-2 on n2: has no memory"
                + " samples\",\"numbers\":{\"gpu\":\"GPU-2\",\"node\":\"n2\"}}]}");
  }
}
