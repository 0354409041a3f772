package dev.cotenant.admission;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ContainerNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.policy.Policy.GpuAssignment;
import dev.cotenant.admission.policy.Policy.Mode;
import dev.cotenant.admission.policy.Policy.UnknownModels;
import dev.cotenant.admission.webhook.WebhookOutcome;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever comes in, a valid answer goes out and nothing of ours breaks. */
class HostileReviewTest {
  private static final int MUTANTS = 3_000;
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private static final List<Policy> POLICIES =
      Stream.of(Mode.values())
          .map(mode -> Policy.DEFAULT.with(copy -> copy.mode = mode))
          .flatMap(policy ->
              Stream.of(
                  policy,
                  policy
                      .with(copy -> copy.gpuAssignment = GpuAssignment.VISIBLE_DEVICES)
                      .with(copy -> copy.unknownModels = UnknownModels.DENY)))
          .toList();

  private Bench bench = new Bench(TestClusters.empty());

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "null",
        "[]",
        "{",
        "\u0000",
        "{\"kind\":\"AdmissionReview\"}",
        "<html></html>",
        "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"request\":{\"uid\":\"\\ud800\"}}"
      })
  void failsOpenOnWhatIsNoReview(String body) {
    JsonNode response =
        Bench.response(bench.webhooks.mutate(body.getBytes(StandardCharsets.UTF_8)));

    assertThat(response.path("allowed").booleanValue()).isTrue();
    assertThat(response.path("warnings").get(0).asText()).startsWith("cotenant: failed open: ");
    assertThat(bench.outcome()).isInstanceOf(WebhookOutcome.FailedOpen.class);
  }

  @Test
  void echoesTheUidOfAReviewThatItCannotRead() {
    JsonNode response =
        bench.validate(Bench.json("{'kind':'AdmissionReview','request':{'uid':'u-7'}}"));

    assertThat(response.path("uid").asText()).isEqualTo("u-7");
  }

  @Test
  void failsOpenOnAPodOfTheWrongShape() {
    JsonNode response =
        bench.mutate(
            Bench.json(
                "{'kind':'AdmissionReview','apiVersion':'admission.k8s.io/v1','request':{'uid':'u',"
                    + "'kind':{'version':'v1','kind':'Pod'},'operation':'CREATE',"
                    + "'object':{'spec':{'containers':'none'}}}}"));

    assertThat(response.path("allowed").booleanValue()).isTrue();
    assertThat(bench.outcome())
        .isInstanceOfSatisfying(
            WebhookOutcome.FailedOpen.class,
            failed -> assertThat(failed.code()).isEqualTo("malformed-pod"));
  }

  /** Values of the wrong type, huge and odd, put anywhere into real reviews. */
  @ParameterizedTest
  @ValueSource(longs = {20261121, 42})
  void answersEveryMutantOfEveryReview(long seed) throws IOException {
    Random random = new Random(seed);
    List<JsonNode> reviews = reviews();
    for (int i = 0; i < MUTANTS; i++) {
      bench = new Bench(TestClusters.empty(), POLICIES.get(i % POLICIES.size()));
      JsonNode mutant = reviews.get(random.nextInt(reviews.size())).deepCopy();
      for (int hits = 1 + random.nextInt(3); hits > 0; hits--) {
        mutate(mutant, random);
      }
      answerBoth(mutant.toString().getBytes(StandardCharsets.UTF_8));
    }
  }

  /** Bytes flipped, cut and doubled. */
  @Test
  void answersEveryDamagedBody() throws IOException {
    Random random = new Random(7);
    List<JsonNode> reviews = reviews();
    for (int i = 0; i < MUTANTS; i++) {
      byte[] body =
          reviews.get(random.nextInt(reviews.size())).toString().getBytes(StandardCharsets.UTF_8);
      for (int hits = 1 + random.nextInt(4); hits > 0; hits--) {
        body[random.nextInt(body.length)] = (byte) random.nextInt(256);
      }
      answerBoth(random.nextBoolean() ? body : Arrays.copyOf(body, random.nextInt(body.length)));
    }
  }

  /** Its first bytes announce UTF-32, and what follows is none. */
  @Test
  void failsOpenOnWhatIsNoText() {
    byte[] body = Arrays.copyOf(new byte[] {0, 0, 0, 'u', 'n', 'd', 'u', 'n'}, 64);

    Bench.response(bench.webhooks.mutate(body));

    assertThat(bench.outcome())
        .isInstanceOfSatisfying(
            WebhookOutcome.FailedOpen.class,
            failed -> assertThat(failed.code()).isEqualTo("not-json"));
  }

  private void answerBoth(byte[] body) {
    Bench.response(bench.webhooks.mutate(body));
    assertNothingBroke(body);
    Bench.response(bench.webhooks.validate(body));
    assertNothingBroke(body);
  }

  private void assertNothingBroke(byte[] body) {
    if (bench.outcome() instanceof WebhookOutcome.Crashed(RuntimeException defect)) {
      throw new AssertionError(new String(body, StandardCharsets.UTF_8), defect);
    }
  }

  private static void mutate(JsonNode root, Random random) {
    List<ContainerNode<?>> containers = new ArrayList<>();
    collect(root, containers);
    switch (containers.get(random.nextInt(containers.size()))) {
      case ObjectNode object when !object.isEmpty() -> {
        List<String> names = object.properties().stream().map(e -> e.getKey()).toList();
        String name = names.get(random.nextInt(names.size()));
        if (random.nextInt(4) == 0) {
          object.remove(name);
        } else {
          object.set(name, oddity(random));
        }
      }
      case ArrayNode array when !array.isEmpty() ->
          array.set(random.nextInt(array.size()), oddity(random));
      default -> {}
    }
  }

  private static void collect(JsonNode node, List<ContainerNode<?>> into) {
    if (node instanceof ContainerNode<?> container) {
      into.add(container);
      container.forEach(child -> collect(child, into));
    }
  }

  private static JsonNode oddity(Random random) {
    List<JsonNode> oddities =
        List.of(
            JSON.nullNode(),
            JSON.booleanNode(true),
            JSON.numberNode(-1),
            JSON.numberNode(Double.MAX_VALUE),
            JSON.numberNode(new BigDecimal("1e400")),
            JSON.textNode(""),
            JSON.textNode("9".repeat(70)),
            JSON.textNode("7Ei"),
            JSON.textNode("1e999"),
            JSON.textNode("\u0000\n\u202e \ud83d\ude00"),
            JSON.textNode("x".repeat(5_000)),
            JSON.textNode("gpu-1"),
            JSON.textNode("DELETE"),
            JSON.arrayNode().add(JSON.objectNode()),
            JSON.objectNode().put("nvidia.com/gpu", "2").put("nvidia.com/gpumem", "9E"));
    return oddities.get(random.nextInt(oddities.size()));
  }

  private static List<JsonNode> reviews() throws IOException {
    Path folder = Path.of(System.getProperty("basedir", "."), "src/test/resources/reviews");
    List<JsonNode> reviews = new ArrayList<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.sorted().toList()) {
        reviews.add(Bench.json(Files.readAllBytes(file)));
      }
    }
    return reviews;
  }
}
