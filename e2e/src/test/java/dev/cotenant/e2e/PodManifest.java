package dev.cotenant.e2e;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** A pod that asks for one GPU, as JSON. */
final class PodManifest {
  static final String GATE = "cotenant.dev/colocation";

  private static final String PREFIX = "cotenant.dev/";
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final ObjectNode root = MAPPER.createObjectNode();

  private PodManifest() {}

  /** One that gets a whole GPU, as nothing is known of its model. */
  static PodManifest named(String name) {
    PodManifest pod = new PodManifest();
    pod.root.put("apiVersion", "v1").put("kind", "Pod");
    pod.root.putObject("metadata").put("name", name);
    ObjectNode container =
        pod.spec()
            .putArray("containers")
            .addObject()
            .put("name", "main")
            .put("image", "registry.invalid/x:1");
    container.putObject("resources").putObject("limits").put("nvidia.com/gpu", "1");
    return pod;
  }

  /** Adds an annotation of ours. */
  PodManifest with(String annotation, String value) {
    return annotated(PREFIX + annotation, value);
  }

  /** Adds an annotation of others. */
  PodManifest annotated(String annotation, String value) {
    root.withObject("/metadata").withObject("annotations").put(annotation, value);
    return this;
  }

  /** Of a model that shares GPUs. */
  PodManifest sharing() {
    return with("model", "resnet18").with("batch-size", "1").with("mode", "training");
  }

  /** A server of a language model, as its users write it. */
  PodManifest serving(String model) {
    ObjectNode container = (ObjectNode) spec().at("/containers/0");
    container.put("image", "vllm/vllm-openai:v0.19.0");
    container.putArray("command").add("vllm").add("serve");
    container.putArray("args").add(model).add("--max-model-len").add("8192");
    return this;
  }

  /** The same with one more argument. */
  PodManifest argument(String argument) {
    ((ObjectNode) spec().at("/containers/0")).withArray("args").add(argument);
    return this;
  }

  /** The node ends the pod after that time. */
  PodManifest runningFor(int seconds) {
    return annotated(FakeKubelet.RUN_SECONDS, Integer.toString(seconds));
  }

  PodManifest requesting(String resource, String amount) {
    ((ObjectNode) spec().at("/containers/0"))
        .withObject("/resources/requests")
        .put(resource, amount);
    return this;
  }

  PodManifest limitedTo(String resource, String amount) {
    ((ObjectNode) spec().at("/containers/0")).withObject("/resources/limits").put(resource, amount);
    return this;
  }

  PodManifest labelled(String label, String value) {
    root.withObject("/metadata").withObject("labels").put(label, value);
    return this;
  }

  /** A pod that Cotenant does not manage. */
  PodManifest optedOut() {
    return labelled(GATE, "disabled");
  }

  PodManifest gatedBy(String gate) {
    spec().withArray("schedulingGates").addObject().put("name", gate);
    return this;
  }

  PodManifest onNode(String node) {
    spec().withObject("/nodeSelector").put("kubernetes.io/hostname", node);
    return this;
  }

  /** Adds a part of the pod's specification in JSON. */
  PodManifest specified(String field, String json) {
    try {
      spec().set(field, MAPPER.readTree(json));
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
    return this;
  }

  PodManifest ofPriority(String priorityClass) {
    spec().put("priorityClassName", priorityClass);
    return this;
  }

  PodManifest withoutGpu() {
    ((ObjectNode) spec().at("/containers/0")).remove("resources");
    return this;
  }

  /** As the webhook would have left it. */
  PodManifest gated() {
    return gatedBy(GATE).with("admission-id", "made-by-the-test");
  }

  /** What a Deployment or a Job makes pods of. */
  ObjectNode template() {
    ObjectNode template = root.deepCopy();
    template.remove(java.util.List.of("apiVersion", "kind"));
    ((ObjectNode) template.path("metadata")).remove("name");
    return template;
  }

  ObjectNode spec() {
    return root.withObject("/spec");
  }

  ObjectNode json() {
    return root;
  }
}
