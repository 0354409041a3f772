package dev.cotenant.service.rest;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.hasSize;

import dev.cotenant.engine.serving.ServingMemory;
import dev.cotenant.engine.testing.MeasuredServers;
import dev.cotenant.llm.serving.ServingParts;
import dev.cotenant.llm.serving.VllmVersion;
import dev.cotenant.service.RunningService;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.restassured.response.ValidatableResponse;
import jakarta.inject.Inject;
import java.util.Locale;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Starts of servers that callers send, and what becomes of predictions. */
@QuarkusTest
@TestProfile(RunningService.class)
class ServingProfilesTest {
  private static final ServingParts PARTS = MeasuredServers.shipped(new VllmVersion(0, 24));
  private static final double GIB = 1L << 30;

  @Inject ServingMemory memory;

  @BeforeEach
  void register() {
    given()
        .contentType("application/json")
        .body(MeasuredServers.DESCRIPTION)
        .put("/v1/models/measured-llama")
        .then()
        .statusCode(200);
  }

  private static ValidatableResponse post(String json) {
    return given().contentType("application/json").body(json).post("/v1/profiles").then();
  }

  private static String start(String namespace, double moreContext, double weights) {
    return String.format(
        Locale.ROOT,
        """
        {"kind": "serving", "namespace": "%s", "starts": [{"model": "measured-llama",
         "device": "h100-80gb", "engine_version": "0.24", "arguments": [],
         "measured": {"total_bytes": %.0f, "context_bytes": %.0f, "weights_bytes": %.0f,
           "activation_bytes": %.0f, "non_torch_bytes": %.0f, "cuda_graph_bytes": %.0f,
           "kv_cache_bytes": %.0f}}]}
        """,
        namespace,
        79.19 * GIB,
        PARTS.context() + moreContext * GIB,
        weights,
        PARTS.activation(),
        PARTS.nonTorch(),
        PARTS.graphs(),
        PARTS.kvCache());
  }

  private static long context(String namespace) {
    Number found =
        given()
            .contentType("application/json")
            .body(
                "{\"model\":\"measured-llama\",\"device\":\"h100-80gb\",\"engine\":\"vllm\","
                    + "\"engine_version\":\"0.24\",\"namespace\":\""
                    + namespace
                    + "\"}")
            .post("/v1/predictions")
            .then()
            .statusCode(200)
            .extract()
            .path("parts.context_bytes");
    return found.longValue();
  }

  @Test
  void startsOfANamespaceMoveItsOwnPredictionsAndAPersonGoesBack() {
    long shipped = context("team-m");
    for (int i = 0; i < 6; i++) {
      post(start("team-m", 1 + 0.001 * i, PARTS.weights()))
          .statusCode(200)
          .body("added", equalTo(1))
          .body("rejected", hasSize(0));
    }
    post(start("team-m", 1, PARTS.weights())).body("duplicates", equalTo(1));
    while (!memory.of("team-m").isPromoted(new VllmVersion(0, 24))) {
      memory.refresh();
    }

    assertThat(context("team-m")).isGreaterThan(shipped + (long) (0.7 * GIB));
    assertThat(context("team-n")).isEqualTo(shipped);
    given()
        .get("/v1/constants?namespace=team-m")
        .then()
        .statusCode(200)
        .body("releases[0].engine_version", equalTo("0.24"))
        .body("releases[0].in_force", equalTo("learnt"))
        .body("releases[0].versions[0].grounds", equalTo("better"))
        .body("releases[0].versions[0].constants.context_bytes.NONE", greaterThan(1e9f));
    given().get("/v1/constants").then().body("releases.namespace", hasItem("team-m"));

    String back = "{\"namespace\":\"team-m\",\"engine_version\":\"0.24\",\"reason\":\"a test\"}";
    given()
        .contentType("application/json")
        .body(back)
        .post("/v1/constants/rollback")
        .then()
        .statusCode(200)
        .body("grounds", equalTo("rollback"));
    assertThat(context("team-m")).isEqualTo(shipped);
    given()
        .contentType("application/json")
        .body(back)
        .post("/v1/constants/rollback")
        .then()
        .statusCode(409)
        .body("code", equalTo("no-previous-version"));
  }

  @Test
  void saysWhyNothingIsLearnedFromAStart() {
    post(start("team-o", 0, PARTS.weights() / 2))
        .statusCode(200)
        .body("added", equalTo(0))
        .body("rejected[0].line", equalTo(1))
        .body("rejected[0].reason", containsString("its weights take 7.4"))
        .body("rejected[0].reason", containsString("arithmetic gives"));
    post("{\"kind\":\"serving\",\"namespace\":\"team-o\",\"starts\":[{\"device\":\"h100-80gb\","
            + "\"log\":\"INFO nothing of vLLM\"}]}")
        .statusCode(200)
        .body("rejected[0].reason", containsString("contains no start of vLLM"));
    post(start("team-o", 0, PARTS.weights()).replace("measured-llama", "nobody/knows"))
        .statusCode(200)
        .body("rejected[0].reason", containsString("its model is unknown"));
  }

  @Test
  void readsTheLinesThatVllmLogs() {
    String log =
        """
        (APIServer pid=1) INFO 05-01 [entrypoints/utils.py:299] version 0.24.0
        (APIServer pid=1) INFO 05-01 [utils.py:1] non-default args: {'model': 'measured-llama', \
        'max_model_len': 8192}
        (EngineCore pid=2) INFO 05-01 [gpu_model_runner.py:1] Model loading took %.2f GiB memory
        (EngineCore pid=2) INFO 05-01 [gpu_worker.py:1] Available KV cache memory: %.2f GiB
        (EngineCore pid=2) INFO 05-01 [kv_cache_utils.py:1] GPU KV cache size: %d tokens
        """
            .formatted(
                PARTS.weights() / GIB,
                PARTS.kvCache() / GIB - 1,
                PARTS.tokens(PARTS.kvCache() - GIB));
    String json =
        "{\"kind\":\"serving\",\"namespace\":\"team-l\",\"starts\":[{\"device\":\"h100-80gb\","
            + "\"log\":\""
            + log.replace("\n", "\\n")
            + "\"}]}";
    post(json).statusCode(200).body("rejected", hasSize(0)).body("added", equalTo(1));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'kind':'serving'}| missing-argument| 'namespace'",
        "{'kind':'serving','namespace':'a'}| missing-argument| 'starts'",
        "{'kind':'serving','namespace':'A b','starts':[]}| bad-namespace| lower-case",
        "{'kind':'serving','namespace':'a','starts':[null]}| missing-argument| 'starts[]'",
        "{'kind':'serving','namespace':'a','starts':[{}]}| missing-argument| device",
        "{'kind':'serving','namespace':'a','starts':[{'device':'t4'}]}| missing-argument| log",
        "{'kind':'serving','namespace':'a','rows':[],'starts':[]}| bad-kind| serving",
        "{'kind':'training','rows':[]}| bad-kind| serving",
        "{'namespace':'a','starts':[]}| missing-argument| 'kind'",
        "{'kind':'serving','namespace':'a','starts':[{'device':'t4','log':'x','arguments':[]}]}"
            + "| two-evidences| either",
        "{'kind':'serving','namespace':'a','starts':[{'device':'t4','engine_version':'x',"
            + "'model':'m','measured':{}}]}| bad-engine-version| not a version",
        "{'kind':'serving','namespace':'a','starts':[{'device':'t4','engine_version':'0.19',"
            + "'model':'m','measured':{'weights_bytes':-1}}]}| number-out-of-range| weights_bytes",
        "{'kind':'serving','namespace':'a','starts':[{'device':'t4','engine_version':'0.19',"
            + "'model':'m','arguments':[null],'measured':{}}]}| bad-arguments| one word",
        "{'kind':'serving','namespace':'a','starts':[{'device':'t4','weights':1}]}"
            + "| unexpected-json| 'weights'",
      })
  void saysWhatIsWrong(String body, String code, String words) {
    post(body.replace('\'', '"'))
        .statusCode(400)
        .body("code", equalTo(code))
        .body("detail", containsString(words));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{}| 400| missing-argument",
        "{'namespace':'a','engine_version':'0.19'}| 400| missing-argument",
        "{'namespace':'a','engine_version':'0.19','reason':' '}| 400| bad-text",
        "{'namespace':'a','engine_version':'newest','reason':'x'}| 400| bad-engine-version",
        "{'namespace':'a','engine_version':'0.19','reason':'x'}| 409| no-previous-version",
      })
  void refusesRollBacksToNothing(String body, int status, String code) {
    given()
        .contentType("application/json")
        .body(body.replace('\'', '"'))
        .post("/v1/constants/rollback")
        .then()
        .statusCode(status)
        .body("code", equalTo(code));
  }

  @Test
  void kvCachesAreThoseOfServersThatHoldGpus() {
    given()
        .get("/v1/kv-caches?namespace=team-m")
        .then()
        .statusCode(200)
        .body("kv_caches", hasSize(0))
        .body("skipped", hasSize(0));
  }

  @ParameterizedTest
  @CsvSource({
    "days=32, bad-window",
    "days=1&window=1441, bad-window",
    "window=2, bad-window",
    "days=0, bad-number",
    "window=x, bad-number",
    "coverage=x, bad-number",
    "coverage=1, coverage-out-of-range"
  })
  void badQuestionsAboutKvCachesAreNamed(String query, String code) {
    given().get("/v1/kv-caches?" + query).then().statusCode(400).body("code", equalTo(code));
  }

  @ParameterizedTest
  @CsvSource({
    "days=32, bad-window",
    "days=1&window=13, bad-window",
    "window=0, bad-number",
    "coverage=2, coverage-out-of-range",
    "price=-1, bad-price",
    "price=1e9, bad-price",
    "price=2.5&price=NVIDIA%20L4=free, bad-price"
  })
  void badQuestionsAboutRecommendationsAreNamed(String query, String code) {
    given().get("/v1/recommendations?" + query).then().statusCode(400).body("code", equalTo(code));
  }

  @Test
  void recommendationsNeedAMetricsServer() {
    given()
        .get("/v1/recommendations?namespace=team-m")
        .then()
        .statusCode(200)
        .body("workloads", hasSize(0))
        .body("missing", hasItem(containsString("cotenant.prometheus.url")));
  }
}
