package dev.cotenant.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.kubernetes.testing.Eventually;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Servers of language models, of which nothing but their arguments says what they take. */
@ExtendWith(OnStage.class)
class LanguageModelIT {
  private static final String MODEL = "meta-llama/Llama-3.1-8B";
  private static final int DECLARED_GIB = 22;

  /** Weights, activations, context, graphs and a cache of 1 GiB, beside what an idle GPU uses. */
  private static final int TAKEN_MIB = 20_450;

  /** A window of a minute, on a slow machine. */
  private static final Duration SETTLED_WITHIN = Duration.ofMinutes(4);

  private static final String DESCRIPTION =
      """
      {"references": ["%s"],
       "config": {"model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336,
         "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
         "vocab_size": 128256, "max_position_embeddings": 131072, "tie_word_embeddings": false,
         "torch_dtype": "bfloat16"},
       "weights": {"bytes_by_type": {"BF16": 16060522496}, "parameters": 8030261248,
         "tensors": 291}}
      """
          .formatted(MODEL);

  private static PodManifest server(String name) {
    return PodManifest.named(name).serving(MODEL).with("gpu-memory", DECLARED_GIB + "Gi");
  }

  @AfterEach
  void nothingIsMeasured(Stage stage) {
    stage.metrics().idle();
  }

  @Test
  void serversGetTheirBudgetAndStartOneAfterTheOther(Stage stage) {
    stage.requireWebhooks();
    stage.requireScheduler();
    String node = stage.names().node("serving");
    stage.nodes().set(List.of(GpuNode.named(node).of(GpuNode.Product.H100).offeredEach(2)));
    String gpu = stage.names().gpu(node);
    CotenantProcess replica = stage.replicas().deciding();
    assertThat(replica.put("/v1/models/llama", DESCRIPTION)).startsWith("200 ");
    Pods pods = stage.pods(stage.names().serving());

    JsonNode first = pods.create(server("first"));
    assertThat(first.at("/spec/containers/0/args").toString())
        .contains("--max-model-len", "--kv-cache-memory-bytes=");
    assertThat(first.at(Pods.annotation("engine-budget")).asText())
        .startsWith("--kv-cache-memory-bytes=");
    pods.awaitRunning("first");
    assertThat(pods.gpu("first")).isEqualTo(gpu);
    assertThat(replica.get("/v1/explain/" + stage.names().serving() + "/first"))
        .contains("vllm 0.19", "kv_cache_tokens", "weights_bytes");

    createBlocked(pods, "second");

    pods.delete("first");
    pods.awaitRunning("second");
    assertThat(pods.gpu("second")).isEqualTo(gpu);
  }

  /** By samples of the GPU, by the server's own metrics, and by its log. */
  @Test
  void theNextServerStartsOnceTheLastOneHasItsMemory(Stage stage) {
    stage.requireWebhooks();
    stage.requireScheduler();
    String node = stage.names().node("serving");
    stage.nodes().set(List.of(GpuNode.named(node).of(GpuNode.Product.H100).offeredEach(4)));
    CotenantProcess replica = stage.replicas().deciding();
    assertThat(replica.put("/v1/models/llama", DESCRIPTION)).startsWith("200 ");
    Pods pods = stage.pods(stage.names().serving());
    pods.create(server("first").argument("--kv-cache-memory-bytes=1073741824"));
    pods.awaitRunning("first"); // declares more than it takes

    createBlocked(pods, "second");
    stage.metrics().used(stage.names().gpu(node), TAKEN_MIB);
    Eventually.holds("its samples settle", SETTLED_WITHIN, () -> pods.isUngated("second"));
    pods.awaitRunning("second");
    pods.delete("first");
    stage.metrics().idle();

    createBlocked(pods, "third");
    stage.metrics().serves(stage.names().serving(), "second");
    Eventually.holds("its metrics say so", () -> pods.isUngated("third"));
    pods.awaitRunning("third");
    pods.delete("second");

    createBlocked(pods, "fourth");
    assertThat(replica.post("/v1/profiles", start(stage.names().serving(), "third")))
        .startsWith("200 ");
    Eventually.holds("its log says so", () -> pods.isUngated("fourth"));
  }

  private static void createBlocked(Pods pods, String name) {
    pods.create(server(name));
    Eventually.holds(
        name + " waits for the memory of the last",
        () ->
            pods.get(name).at(Pods.annotation("reason-codes")).asText().contains("EngineStarting"));
    assertThat(pods.isUngated(name)).isFalse();
  }

  private static String start(String namespace, String pod) {
    return """
    {"kind": "serving", "namespace": "%s", "starts": [{"pod": "%s", "model": "%s",
      "device": "h100-80gb", "engine_version": "0.19", "arguments": ["--enforce-eager"],
      "measured": {"kv_cache_tokens": 8192}}]}
    """
        .formatted(namespace, pod, MODEL);
  }
}
