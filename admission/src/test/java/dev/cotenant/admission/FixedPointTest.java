package dev.cotenant.admission;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.policy.Policy.GpuAssignment;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * On random pods in mode Enforce: the patch of a patched pod is empty, and it touches nothing but
 * what is documented.
 */
class FixedPointTest {
  private static final int PODS = 3_000;
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  /** Our annotations, the gates, the scheduler, claims, and the environment of containers. */
  private static final Pattern OURS =
      Pattern.compile(
          "/metadata/annotations(/cotenant\\.dev~1[a-z-]+)?|/spec/schedulingGates(/-)?"
              + "|/spec/resourceClaims(/-)?|/spec/schedulerName"
              + "|/spec/(initC|c)ontainers/\\d+/(env(/-)?|resources|resources/claims(/-)?)");

  private static final List<Optional<String>> SCHEDULERS =
      List.of(Optional.of("mine"), Optional.of("default-scheduler"), Optional.empty());

  private static final List<String> RESOURCES =
      List.of(
          "nvidia.com/gpu",
          "nvidia.com/gpumem",
          "nvidia.com/gpucores",
          "volcano.sh/vgpu-number",
          "aliyun.com/gpu-mem",
          "koordinator.sh/gpu",
          "cpu");

  @ParameterizedTest
  @EnumSource(GpuAssignment.class)
  void changesNothingTheSecondTimeAndNothingButItsOwn(GpuAssignment gpuAssignment) {
    Random random = new Random(20261121);
    String scheduler = gpuAssignment.whyNoScheduler().isEmpty() ? "cotenant-scheduler" : null;
    Policy policy =
        Policy.DEFAULT
            .with(copy -> copy.gpuAssignment = gpuAssignment)
            .with(copy -> copy.schedulerName = scheduler);
    Bench bench = new Bench(TestClusters.full(), policy);
    int held = 0;
    for (int i = 0; i < PODS; i++) {
      JsonNode pod = pod(random);
      String before = pod.toString();
      JsonNode patch = Bench.patch(bench.mutate(PodReviews.creating(pod)));
      JsonNode once = PatchedPod.of(pod, patch);
      JsonNode again = Bench.patch(bench.mutate(PodReviews.creating(once)));

      assertThat(again).as(before).isEmpty();
      patch.forEach(
          operation -> assertThat(operation.path("path").asText()).matches(OURS).as(before));
      assertThat(withoutOurs(once).toString()).isEqualTo(withoutOurs(pod).toString());
      held += patch.isEmpty() ? 0 : 1;
    }
    assertThat(held).isGreaterThan(PODS / (gpuAssignment == GpuAssignment.DRA ? 20 : 4));
  }

  /** Without what may be added, however the rest is written. */
  private static JsonNode withoutOurs(JsonNode pod) {
    ObjectNode rest = pod.deepCopy();
    if (rest.path("metadata").path("annotations") instanceof ObjectNode annotations) {
      annotations.remove(CotenantAnnotations.WRITTEN);
    }
    if (rest.path("metadata").path("annotations").isEmpty()) {
      ((ObjectNode) rest.path("metadata")).remove("annotations");
    }
    ObjectNode spec = (ObjectNode) rest.path("spec");
    spec.remove(List.of("schedulingGates", "resourceClaims", "schedulerName"));
    for (String field : List.of("containers", "initContainers")) {
      spec.path(field).forEach(container -> withoutOurs((ObjectNode) container));
    }
    return rest;
  }

  private static void withoutOurs(ObjectNode container) {
    container.remove("env");
    if (container.path("resources") instanceof ObjectNode resources) {
      resources.remove("claims");
      if (resources.isEmpty()) {
        container.remove("resources");
      }
    }
  }

  private static JsonNode pod(Random random) {
    ObjectNode pod = JSON.objectNode().put("apiVersion", "v1").put("kind", "Pod");
    pod.set("x-unknown", JSON.objectNode().put("b", 1.0).put("a", "\u00e9\u0001").putNull("n"));
    ObjectNode metadata = pod.putObject("metadata");
    metadata.put(random.nextBoolean() ? "name" : "generateName", "p-" + random.nextInt(100));
    if (random.nextInt(4) > 0) {
      annotate(metadata.putObject("annotations"), random);
    } else if (random.nextBoolean()) {
      metadata.putNull("annotations");
    }
    ObjectNode spec = pod.putObject("spec");
    SCHEDULERS
        .get(random.nextInt(SCHEDULERS.size()))
        .ifPresent(name -> spec.put("schedulerName", name));
    spec.putObject("x-future").putArray("list").add(1).addNull();
    if (random.nextBoolean()) {
      gates(spec, random);
    }
    if (random.nextInt(3) == 0) {
      claims(spec.putArray("resourceClaims"), random);
    }
    containers(spec.putArray("containers"), random);
    if (random.nextInt(3) == 0) {
      containers(spec.putArray("initContainers"), random);
    }
    return pod;
  }

  private static void annotate(ObjectNode annotations, Random random) {
    List<String> ours = CotenantAnnotations.WRITTEN;
    if (random.nextInt(3) > 0) {
      annotations.put(CotenantAnnotations.MODEL, random.nextBoolean() ? "resnet50" : "nobody");
    }
    for (int forged = random.nextInt(4); forged > 0; forged--) {
      annotations.put(ours.get(random.nextInt(ours.size())), "x-" + random.nextInt());
    }
    if (random.nextInt(5) == 0) {
      annotations.put("gpu-fraction", "0.5");
    }
    if (random.nextInt(3) == 0) {
      annotations.put(CotenantAnnotations.RESOURCE_CLAIM, "shared");
    }
    annotations.put("example.com/kept", "\"\\ \u2028");
  }

  private static void claims(ArrayNode claims, Random random) {
    for (int i = random.nextInt(3); i > 0; i--) {
      ObjectNode claim = claims.addObject().put("name", i == 1 ? "cotenant-gpu" : "g" + i);
      switch (random.nextInt(3)) {
        case 0 -> claim.put("resourceClaimName", "shared");
        case 1 -> claim.put("resourceClaimName", "other");
        default -> claim.put("resourceClaimTemplateName", "t");
      }
    }
  }

  private static void gates(ObjectNode spec, Random random) {
    ArrayNode gates = spec.putArray("schedulingGates");
    for (int i = random.nextInt(3); i > 0; i--) {
      gates.addObject().put("name", random.nextBoolean() ? "a/b" : CotenantAnnotations.GATE);
    }
  }

  private static void containers(ArrayNode containers, Random random) {
    for (int i = random.nextInt(3) + 1; i > 0; i--) {
      ObjectNode container = containers.addObject().put("name", "c" + i).put("x-new", 1e-7);
      if (random.nextInt(4) == 0) {
        container.put("restartPolicy", "Always");
      }
      if (random.nextBoolean()) {
        container
            .putObject("resources")
            .putObject("limits")
            .put(RESOURCES.get(random.nextInt(RESOURCES.size())), 1 + random.nextInt(90));
      }
      if (random.nextInt(4) == 0) {
        ArrayNode claims = container.withObjectProperty("resources").putArray("claims");
        if (random.nextBoolean()) {
          claims.addObject().put("name", random.nextBoolean() ? "cotenant-gpu" : "g2");
        }
      }
      if (random.nextBoolean()) {
        environment(container.putArray("env"), random);
      }
    }
  }

  private static void environment(ArrayNode variables, Random random) {
    for (int i = random.nextInt(3); i > 0; i--) {
      ObjectNode variable = variables.addObject();
      switch (random.nextInt(4)) {
        case 0 -> variable.put("name", "NVIDIA_VISIBLE_DEVICES").put("value", "all");
        case 1 -> {
          variable.put("name", "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE");
          variable
              .putObject("valueFrom")
              .putObject("fieldRef")
              .put("apiVersion", "v1")
              .put(
                  "fieldPath", "metadata.annotations['cotenant.dev/mps-active-thread-percentage']");
        }
        default -> variable.put("name", "A" + i).put("value", "b");
      }
    }
  }
}
