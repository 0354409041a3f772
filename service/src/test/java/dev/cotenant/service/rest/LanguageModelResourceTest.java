package dev.cotenant.service.rest;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.hasKey;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.nullValue;

import dev.cotenant.engine.Engine;
import dev.cotenant.engine.lifecycle.ModelStore;
import dev.cotenant.engine.model.ModelQuota;
import dev.cotenant.engine.model.ModelRegistry;
import dev.cotenant.service.RunningService;
import dev.cotenant.service.lifecycle.SharedModels;
import dev.cotenant.service.webhook.WebhookClient;
import dev.cotenant.service.webhook.WebhookServer;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.restassured.path.json.JsonPath;
import io.restassured.response.ValidatableResponse;
import jakarta.inject.Inject;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@QuarkusTest
@TestProfile(RunningService.class)
class LanguageModelResourceTest {
  private static final String CONFIG =
      """
      {"model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336,
       "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
       "vocab_size": 128256, "max_position_embeddings": 131072, "tie_word_embeddings": false,
       "torch_dtype": "bfloat16"}
      """;

  private static final String WEIGHTS =
      """
      {"bytes_by_type": {"BF16": 16060522496}, "parameters": 8030261248, "tensors": 291}
      """;

  @Inject ModelStore store;
  @Inject Engine engine;
  @Inject WebhookServer webhooks;
  @TempDir Path folder;

  private static ValidatableResponse register(String name, String description) {
    return given()
        .contentType("application/json")
        .body(description)
        .put("/v1/models/" + name)
        .then();
  }

  private static String described(String reference) {
    return "{\"references\": [\"%s\"], \"config\": %s, \"weights\": %s}"
        .formatted(reference, CONFIG, WEIGHTS);
  }

  private static ValidatableResponse predict(String request) {
    return given().contentType("application/json").body(request).post("/v1/predictions").then();
  }

  private static String inline(String more) {
    return "{\"description\": {\"config\": %s, \"weights\": %s}, \"device\": \"h100-80gb\"%s}"
        .formatted(CONFIG, WEIGHTS, more);
  }

  @Test
  void aRegisteredModelIsListedAndPredictedByNameAndReference() {
    register("llama-rest", described("meta-llama/Rest"))
        .statusCode(200)
        .body("kind", equalTo("language-model"))
        .body("references", hasItem("meta-llama/Rest"));
    JsonPath models = given().get("/v1/models").jsonPath();
    assertThat(models.getString("models.find { it.name == 'llama-rest' }.kind"))
        .isEqualTo("language-model");
    String request =
        "{\"model\": \"%s\", \"device\": \"h100-80gb\", \"engine\": \"vllm\","
            + " \"engine_version\": \"0.19\", \"arguments\": [\"--max-model-len\", \"8192\"]}";

    String byName = predict(request.formatted("llama-rest")).statusCode(200).extract().asString();
    String byReference =
        predict(request.formatted("meta-llama/Rest"))
            .statusCode(200)
            .body("parts", hasKey("weights_bytes"))
            .body("serving.kv_cache_memory_bytes", equalTo(1 << 30))
            .extract()
            .asString();

    assertThat(JsonPath.from(byName).getMap("parts"))
        .isEqualTo(JsonPath.from(byReference).getMap("parts"));
  }

  /** As the first bytes of the files have them, without sums. */
  @Test
  void headersAreSummed() {
    String request =
        "{\"description\": {\"config\": %s, %s}, \"device\": \"h100-80gb\", \"engine\": \"vllm\"}";
    String header =
        "{\"w\": {\"dtype\": \"BF16\", \"shape\": [8030261248], \"data_offsets\": [0,"
            + " 16060522496]}}";

    String raw =
        predict(request.formatted(CONFIG, "\"headers\": [" + header + "]"))
            .statusCode(200)
            .extract()
            .asString();
    String summed =
        predict(request.formatted(CONFIG, "\"weights\": " + WEIGHTS))
            .statusCode(200)
            .extract()
            .asString();

    assertThat(JsonPath.from(raw).getMap("parts")).isEqualTo(JsonPath.from(summed).getMap("parts"));
  }

  @Test
  void aRestartedProcessKnowsRegisteredModels() {
    register("llama-kept", described("meta-llama/Kept")).statusCode(200);
    ModelRegistry later = ModelRegistry.of(engine);

    new SharedModels(
            later, store.models(), folder, InstantSource.system(), ModelQuota.ofThisProcess())
        .refresh();

    assertThat(later.findLanguageModel("meta-llama/Kept")).isPresent();
  }

  @Test
  void aDescriptionInTheQuestionNeedsNoRegistration() {
    predict(inline(", \"engine_version\": \"0.19\", \"arguments\": [\"--max-model-len=8192\"]"))
        .statusCode(200)
        .body("engine_version", equalTo("0.19"))
        .body("peak_memory_bytes.coverage", equalTo(0.9f))
        .body("serving.least_memory_bytes.upper", greaterThan(0L));
    predict(
            inline(
                ", \"engine\": \"transformers\", \"engine_version\": \"4.46\","
                    + " \"prompt_tokens\": 64, \"arguments\": [\"--dtype=float32\"],"
                    + " \"gpu_memory_bytes\": 1073741824"))
        .statusCode(200)
        .body("parts.weights_bytes", greaterThan(32_000_000_000L))
        .body("warnings", hasItem(containsString("does not fit")));
    predict(inline(", \"engine\": \"sglang\", \"arguments\": [\"--max-total-tokens=1000\"]"))
        .statusCode(200)
        .body("parts.kv_cache_bytes", equalTo(131_072_000));
    predict(inline(", \"request_rate\": 0.1, \"generated_tokens\": 100"))
        .statusCode(200)
        .body("part_bounds.weights_bytes", hasKey("upper"))
        .body("speed.requests_per_second", equalTo(0.1f))
        .body("speed.utilization_percent.mean", greaterThan(1f));
    predict(
            inline(
                ", \"engine\": \"torchrun\", \"arguments\": [\"sft.py\", \"--use_peft\","
                    + " \"--lora_r\", \"8\"]"))
        .statusCode(200)
        .body("parts", hasKey("state_bytes"));
  }

  @Test
  void answersForTheWholeCatalogue() {
    predict(inline("").replace("h100-80gb", "all"))
        .statusCode(200)
        .body("predictions.device", hasItem("h100-80gb"))
        .body("predictions", hasSize(engine.devices().devices().size()))
        .body(
            "predictions.find { it.device == 'h100-80gb' }.memory.parts", hasKey("kv_cache_bytes"));
    predict(inline(", \"engine_version\": \"new\"").replace("h100-80gb", "all"))
        .statusCode(200)
        .body("predictions.error.code", hasItem("bad-engine-version"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"/models/a\\u0000b", "/models/a b", "org/a\\u0000b", "/\\n", "\\u0000"})
  void aReferenceWithOddCharactersIsUnknown(String reference) {
    predict(
            "{\"model\": \"%s\", \"device\": \"h100-80gb\", \"engine\": \"vllm\"}"
                .formatted(reference))
        .statusCode(404)
        .body("detail", containsString("No language model is known"));
  }

  @Test
  void answersListsOfQuestions() {
    predict("[" + inline("") + ", " + inline(", \"arguments\": [\"-tp\", \"3\"]") + "]")
        .statusCode(200)
        .body("predictions", hasSize(2))
        .body("predictions[0].memory.parts", hasKey("kv_cache_bytes"))
        .body("predictions[1].error.code", equalTo("bad-engine-argument"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        ", \"arguments\": [\"--tensor-parallel-size\", \"3\"] | must divide the 32 heads",
        ", \"arguments\": [\"--max-model-len\", \"900000\"] | above the 131072 tokens",
        ", \"arguments\": [\"--max-num-seqs\", \"-4\"] | is not a whole number",
        ", \"arguments\": [null] | arguments must be",
        ", \"engine_version\": \"new\" | is not a version of vLLM",
        ", \"engine\": \"magic\" | Unknown engine 'magic'",
        ", \"concurrency\": 0 | concurrency must be from 1",
        ", \"request_rate\": 0 | request rate must be above 0",
        ", \"generated_tokens\": 0 | generated_tokens must be from 1",
        ", \"gpu_memory_bytes\": -1 | gpu_memory_bytes must be from 1",
        ", \"coverage\": 2 | coverage must be",
        ", \"model\": \"llama\" | State either model or description",
        ", \"code\": \"x\" | no property 'code'",
      })
  void hostileQuestionsAreAnsweredWithTheirFault(String more, String fault) {
    predict(inline(more)).statusCode(400).body("detail", containsString(fault));
  }

  @Test
  void namesAModelThatIsNotKnown() {
    predict("{\"model\": \"org/none\", \"device\": \"h100-80gb\", \"engine\": \"vllm\"}")
        .statusCode(404)
        .body("detail", containsString("No language model is known as 'org/none'"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"config\": {}}",
        "{\"config\": {\"hidden_size\": 99999999999}}",
        "{\"config\": {\"hidden_size\": -1}}",
        "{\"weights\": {\"bytes_by_type\": {\"BF16\": 1}}}",
        "{\"config\": 1}",
        "{\"config\": {}, \"headers\": [[]]}",
        "{\"pickle\": \"gASV\"}",
        "{",
      })
  void refusesHostileDescriptions(String description) {
    register("hostile", description).statusCode(422).contentType("application/problem+json");
    assertThat(store.models().names()).noneMatch(kept -> kept.name().equals("hostile"));
  }

  @Test
  void refusesALargeDescription() {
    register("large", "{\"config\": {\"x\": \"" + "a".repeat(2 << 20) + "\"}}")
        .statusCode(413)
        .body("detail", containsString("is larger than"));
  }

  @Test
  void anUnknownArchitectureIsPredictedWithAWarning() {
    predict(inline("").replace("\"llama\"", "\"brandnew\""))
        .statusCode(200)
        .body("warnings", hasItem(containsString("unknown architecture brandnew")))
        .body("peak_memory_bytes.coverage", equalTo(null));
  }

  @Test
  void thePodOfARegisteredModelIsReviewedByItsMemory() {
    register("llama-pod", described("meta-llama/Pod")).statusCode(200);
    String review =
        """
        {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
          "uid": "u-1", "kind": {"group": "", "version": "v1", "kind": "Pod"},
          "operation": "CREATE", "namespace": "team-a", "userInfo": {"username": "me"},
          "dryRun": true,
          "object": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "server"},
            "spec": {"containers": [
              {"name": "main", "image": "vllm/vllm-openai:v0.19.0",
               "args": ["--model", "%s", "--max-model-len", "8192"],
               "resources": {"limits": {"nvidia.com/gpu": "1"}}}]}}}}
        """;
    WebhookClient client = new WebhookClient(webhooks.port());

    client.post(
        "/webhooks/mutate", review.formatted("meta-llama/Pod").getBytes(StandardCharsets.UTF_8));
    client.post(
        "/webhooks/mutate", review.formatted("meta-llama/Unseen").getBytes(StandardCharsets.UTF_8));

    given()
        .queryParam("limit", 2)
        .get("/v1/decisions")
        .then()
        .body("decisions[0].prediction", nullValue())
        .body("decisions[1].prediction.engine_memory.engine", equalTo("vllm 0.19"))
        .body("decisions[1].prediction.engine_memory.parts.kv_cache_tokens", greaterThan(8_192))
        .body("decisions[1].prediction.engine_memory.advice", containsString("takes"));
  }
}
