package dev.cotenant.service.serving;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.hasSize;

import dev.cotenant.service.RunningService;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Recommendations of a service whose metrics server has the memory of two pods. */
@QuarkusTest
@TestProfile(RecommendationsOverHttpTest.OnPrometheus.class)
class RecommendationsOverHttpTest {
  private static final long USED = 8_000L << 20;

  /** A service that reads a metrics server. */
  public static final class OnPrometheus extends RunningService {
    @Override
    public Map<String, String> getConfigOverrides() {
      Map<String, String> configuration = super.getConfigOverrides();
      configuration.put("cotenant.prometheus.url", UsedMemory.serve());
      return configuration;
    }
  }

  @Test
  void recommendsWhatSufficesForEachWorkload() {
    given()
        .get("/v1/recommendations?days=3&price=2")
        .then()
        .statusCode(200)
        .body("workloads.namespace", contains("team-a", "team-b"))
        .body("workloads.workload", contains("Pod/train-0", "Pod/train-0"))
        .body("workloads[0].used_p50_bytes", equalTo(USED))
        .body("workloads[0].used_p99_bytes", equalTo(USED))
        .body("workloads[0].used_max_bytes", equalTo(USED))
        .body("workloads[0].recommended_bytes", equalTo(USED))
        .body("workloads[0].exceeded", equalTo(0))
        .body("kv_caches", hasSize(0))
        .body("missing", hasItem(containsString("kube_pod_owner")));
  }

  @Test
  void ofOneNamespaceWithShorterWindows() {
    given()
        .get("/v1/recommendations?namespace=team-b&days=2&window=6&coverage=0.8")
        .then()
        .statusCode(200)
        .body("workloads.namespace", contains("team-b"));
    given()
        .get("/v1/recommendations?namespace=nobody&days=3")
        .then()
        .statusCode(404)
        .body("code", equalTo("metrics-missing"))
        .body("detail", containsString("nobody"));
  }

  /** They are learned from each other, all at once. */
  @ParameterizedTest
  @ValueSource(strings = {"limit=1", "continue=x", "since=14d"})
  void haveNoPages(String parameter) {
    given()
        .get("/v1/recommendations?days=3&" + parameter)
        .then()
        .statusCode(400)
        .body("code", equalTo("unknown-parameter"));
  }

  @Test
  void areTextAndCsvForKubectl() {
    String csv =
        given()
            .get("/v1/recommendations?days=3&output=csv")
            .then()
            .statusCode(200)
            .extract()
            .asString();
    List<String> lines = csv.lines().toList();
    assertThat(lines).hasSize(3);
    assertThat(lines.getFirst()).startsWith("namespace,workload,product,pods,gpus,requested_bytes");
    assertThat(lines.get(1)).startsWith("\"team-a\",\"Pod/train-0\"").contains("," + USED + ",");
    given()
        .get("/v1/recommendations?days=3&output=text")
        .then()
        .statusCode(200)
        .body(containsString("Pod/train-0"), containsString("7.81 GiB"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"/v1/recommendations?output=xml", "/v1/gpus?output=csv"})
  void otherFormsAreRefused(String path) {
    given().get(path).then().statusCode(400).body("message", containsString("text or json"));
  }
}
