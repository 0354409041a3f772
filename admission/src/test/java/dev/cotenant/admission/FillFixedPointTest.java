package dev.cotenant.admission;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.fill.FillRecord;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.GpuDialect;
import dev.cotenant.admission.policy.Filling;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.policy.Policy.Mode;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * On random pods: a filled pod is not changed again, nor after others added a container before; it
 * is its original once the record is taken out, and nothing but requests and our annotations is
 * touched. {@code -Dcotenant.fill.pods} sets their number over all dialects.
 */
class FillFixedPointTest {
  private static final int PODS = Integer.getInteger("cotenant.fill.pods", 12_000);
  private static final int DIALECTS = 5;
  private static final int PODS_OF_A_MODE = PODS / DIALECTS / 2;
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private static final Pattern OURS =
      Pattern.compile(
          "/metadata/annotations(/cotenant\\.dev~1[a-z-]+|/gpu-(memory|fraction-[a-z-]+))?"
              + "|/spec/(initC|c)ontainers/\\d+/(resources/.*|terminationMessagePolicy|args.*)");

  private static final List<String> RESOURCES =
      List.of(
          "nvidia.com/gpu",
          "nvidia.com/gpumem",
          "nvidia.com/gpumem-percentage",
          "nvidia.com/gpucores",
          "volcano.sh/vgpu-number",
          "volcano.sh/vgpu-memory",
          "volcano.sh/vgpu-memory-percentage",
          "aliyun.com/gpu-mem",
          "aliyun.com/gpu-count",
          "koordinator.sh/gpu-core",
          "koordinator.sh/gpu",
          "koordinator.sh/gpu-memory",
          "koordinator.sh/gpu-memory-ratio",
          "cpu");

  @ParameterizedTest
  @EnumSource(
      value = GpuDialect.class,
      names = {"HAMI", "KAI", "VOLCANO", "KOORDINATOR", "GPUSHARE"})
  void changesNothingTheSecondTimeAndNothingButItsOwn(GpuDialect target) {
    Random random = new Random(20261124);
    int written = 0;
    for (Mode mode : List.of(Mode.FILL, Mode.CAP)) {
      Policy policy =
          Policy.DEFAULT
              .with(copy -> copy.mode = mode)
              .with(copy -> copy.engineBudget = Policy.EngineBudget.WRITE)
              .with(copy -> copy.filling = new Filling(target, 2, Filling.Scope.PODS));
      Bench bench = new Bench(TestClusters.empty(), new FakeServers(), policy);
      for (int i = 0; i < PODS_OF_A_MODE; i++) {
        JsonNode pod = pod(random);
        JsonNode patch = Bench.patch(bench.mutate(PodReviews.creating(pod)));
        JsonNode once = PatchedPod.of(pod, patch);

        assertThat(Bench.patch(bench.mutate(PodReviews.creating(once))))
            .as(pod::toString)
            .isEmpty();
        patch.forEach(operation ->
            assertThat(operation.path("path").asText()).matches(OURS).as(pod::toString));
        if (!patch.isEmpty()) {
          written++;
          // KAI takes the first container for the one that it means, whoever put it there.
          boolean meansFirst = pod.at("/metadata/annotations").has("gpu-memory");
          JsonNode injected = meansFirst ? once : withContainerBefore(once);
          assertThat(Bench.patch(bench.mutate(PodReviews.creating(injected)))).isEmpty();
          assertThat(plain(FillRecord.original(once))).isEqualTo(plain(pod));
        }
      }
    }
    assertThat(written).isGreaterThan(PODS_OF_A_MODE / 10);
  }

  /** As a webhook that puts its container first. */
  private static JsonNode withContainerBefore(JsonNode pod) {
    ObjectNode copy = pod.deepCopy();
    ((ArrayNode) copy.at("/spec/containers")).insertObject(0).put("name", "injected");
    return copy;
  }

  /** Without what is not taken out again: empty objects, and the policy of the last message. */
  private static String plain(JsonNode pod) {
    ObjectNode copy = pod.deepCopy();
    if (copy.path("metadata").path("annotations").isEmpty()) {
      ((ObjectNode) copy.path("metadata")).remove("annotations");
    }
    for (String list : List.of("containers", "initContainers")) {
      copy.path("spec")
          .path(list)
          .forEach(container -> ((ObjectNode) container).remove("terminationMessagePolicy"));
    }
    return sorted(copy).toString();
  }

  /** Members by name, numbers as texts. */
  private static JsonNode sorted(JsonNode json) {
    if (json.isObject()) {
      ObjectNode sorted = JSON.objectNode();
      json.properties().stream()
          .sorted(java.util.Map.Entry.comparingByKey())
          .forEach(member -> sorted.set(member.getKey(), sorted(member.getValue())));
      return sorted;
    }
    if (json.isArray()) {
      ArrayNode elements = JSON.arrayNode();
      json.forEach(element -> elements.add(sorted(element)));
      return elements;
    }
    return JSON.textNode(json.asText());
  }

  private static JsonNode pod(Random random) {
    ObjectNode pod = JSON.objectNode().put("apiVersion", "v1").put("kind", "Pod");
    ObjectNode metadata = pod.putObject("metadata").put("name", "p-" + random.nextInt(100));
    if (random.nextInt(8) > 0) {
      ObjectNode annotations = metadata.putObject("annotations");
      annotations.put(CotenantAnnotations.MODEL, random.nextInt(6) == 0 ? "nobody" : "resnet50");
      annotations.put(CotenantAnnotations.BATCH_SIZE, String.valueOf(1 + random.nextInt(128)));
      if (random.nextInt(10) == 0) {
        annotations.put("gpu-memory", String.valueOf(1_000 + random.nextInt(30_000)));
      }
      if (random.nextInt(6) == 0) {
        annotations.put(CotenantAnnotations.MODE, "inference");
        annotations.put(CotenantAnnotations.SLO_LATENCY, (5 + random.nextInt(50)) + "ms");
        annotations.put(CotenantAnnotations.REQUEST_RATE, String.valueOf(random.nextInt(4_000)));
      }
      if (random.nextInt(10) == 0) {
        annotations.put(CotenantAnnotations.FILL, random.nextBoolean() ? "never" : "hami");
      }
    }
    ObjectNode spec = pod.putObject("spec");
    containers(spec.putArray("containers"), "c", random);
    if (random.nextInt(5) == 0) {
      containers(spec.putArray("initContainers"), "i", random);
    }
    return pod;
  }

  private static void containers(ArrayNode containers, String prefix, Random random) {
    for (int i = random.nextInt(3); i >= 0; i--) {
      ObjectNode container = containers.addObject().put("name", prefix + i);
      if (random.nextInt(8) == 0) {
        container.put("restartPolicy", "Always");
      }
      if (random.nextInt(3) > 0) {
        continue;
      }
      if (random.nextInt(4) == 0) {
        container.put("image", "vllm/vllm-openai:v0.19.0");
        container.putArray("args").add("--model").add("resnet50");
      }
      ObjectNode resources = container.putObject("resources");
      ObjectNode limits = resources.putObject("limits");
      for (int names = random.nextInt(2); names >= 0; names--) {
        String name = RESOURCES.get(random.nextInt(RESOURCES.size()));
        limits.put(name, amount(name, random));
      }
      if (random.nextBoolean()) {
        limits.put("nvidia.com/gpu", random.nextInt(4) == 0 ? "2" : "1");
      }
      if (random.nextBoolean()) {
        resources.set("requests", limits.deepCopy());
      }
    }
  }

  private static long amount(String name, Random random) {
    if (name.endsWith("ratio") || name.endsWith("percentage")) {
      return 1L + random.nextInt(100);
    }
    long units = name.contains("mem") ? 1L + random.nextInt(30_000) : 1;
    return name.equals("koordinator.sh/gpu-memory") ? units << 20 : units;
  }
}
