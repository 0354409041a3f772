package dev.cotenant.engine.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.EngineSettings;
import dev.cotenant.engine.plan.FleetDocument;
import dev.cotenant.engine.plan.FleetPlanner;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WatchedFleetTest {
  private static WatchedFleet read(String metrics, String more) {
    String text =
        """
        {"devices": [{"id": "v100"}],
         "workloads": [{"name": "a", "profile": "vgg19", "slo_latency_ms": 40,
                        "request_rate_per_second": 150 %s}] %s}
        """
            .formatted(metrics, more);
    return WatchedFleet.of(
        FleetPlanner.standard(Engine.lazy(EngineSettings.DEFAULT)),
        FleetDocument.of(text.getBytes(StandardCharsets.UTF_8), "fleet"),
        (model, batch) -> {
          throw new AssertionError(model);
        },
        "fleet");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"\" | state 'metrics'",
        ", \"metrics\": {} | give either 'source'",
        ", \"metrics\": {\"source\": \"triton\", \"rate\": \"x\"} | give either 'source'",
        ", \"metrics\": {\"source\": \"seldon\"} | must be triton, kserve or vllm, is 'seldon'",
        ", \"metrics\": {\"rate\": \"x\", \"model\": \"m\"} | belong to a 'source'",
        ", \"metrics\": {\"source\": \"vllm\", \"p99_ms\": \"x\"} | has its own latencies",
        ", \"metrics\": {\"rate\": \" \"} | PromQL must have 1 to 4000 characters",
        ", \"metrics\": {\"rates\": \"x\"} | rates"
      })
  void refusesMetricsThatAreNone(String metrics, String message) {
    assertThatThrownBy(() -> read(metrics.replace("\"\"", ""), ""))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("workloads")
        .hasMessageContaining(message);
  }

  @Test
  void refusesJobs() {
    assertThatThrownBy(() ->
            read(
                ", \"metrics\": {\"source\": \"vllm\"}",
                ", \"jobs\": [{\"name\": \"j\", \"model\": \"m.onnx\"}]"))
        .hasMessageContaining("leave jobs out");
  }

  @Test
  void asksForAModelByTheNameOfItsWorkloadUnlessItHasAnother() {
    assertThat(read(", \"metrics\": {\"source\": \"kserve\"}", "").queries().getFirst().query())
        .contains("request_predict_seconds_bucket{model_name=\"a\"}");
    assertThat(
            read(", \"metrics\": {\"source\": \"triton\", \"model\": \"x\\\"y\"}", "")
                .queries()
                .getFirst()
                .query())
        .contains("nv_inference_request_success{model=\"x\\\"y\"}");
  }

  @Test
  void startsFromThePlacementThatIsStated() {
    WatchedFleet fleet =
        read(
            ", \"metrics\": {\"source\": \"vllm\"}",
            ", \"placement\": [{\"gpu\": 0, \"workload\": \"a\", \"share_percent\": 75}]");

    assertThat(fleet.start().target().replicas().values())
        .singleElement()
        .satisfies(placed -> assertThat(placed.replica().share().percent()).isEqualTo(75));
  }
}
