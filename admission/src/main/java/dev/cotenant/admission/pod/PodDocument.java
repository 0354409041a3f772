package dev.cotenant.admission.pod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.cotenant.admission.pod.GpuContainer.ClaimList;
import dev.cotenant.domain.InputException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A pod's JSON, read field by field; other fields are not interpreted.
 *
 * <p>Not safe for use by many threads. A field of the wrong type is an {@link InputException}
 * ({@code malformed-pod}) naming it.
 */
public final class PodDocument {
  /** One container and its path, for messages. */
  static final class Container {
    final JsonNode json;
    private final String path;
    private final String pointer;
    private @Nullable Map<String, String> resources;
    private @Nullable RequestedGpu gpu;

    Container(JsonNode json, String list, int index) {
      this.json = json;
      path = "spec." + list + "[" + index + "]";
      pointer = "/spec/" + list + "/" + index;
    }

    String name() {
      String name = text(json, path, "name");
      return name == null ? path : name;
    }

    /** Whether it is a sidecar, an init container that restarts beside the main containers. */
    boolean isRestartable() {
      return "Always".equals(text(json, path, "restartPolicy"));
    }

    /** Environment variables with the referenced field, empty for other values. */
    GpuContainer withVariables() {
      Map<String, String> variables = new TreeMap<>();
      for (JsonNode variable : elements(json, path, "env")) {
        String variablePath = path + ".env";
        JsonNode source = object(variable, variablePath, "valueFrom");
        JsonNode field = object(source, variablePath + ".valueFrom", "fieldRef");
        @Nullable String fieldPath = text(field, variablePath + ".valueFrom.fieldRef", "fieldPath");
        @Nullable String variableName = text(variable, variablePath, "name");
        if (variableName != null) {
          variables.put(variableName, Objects.requireNonNullElse(fieldPath, ""));
        }
      }
      return new GpuContainer(name(), pointer, variables, json.path("env").isArray(), claimList());
    }

    /** The claims that it uses, by the pod's own names. */
    Set<String> claims() {
      return claimList().names();
    }

    private ClaimList claimList() {
      JsonNode resources = object(json, path, "resources");
      if (resources.isMissingNode()) {
        return new ClaimList(ClaimList.Missing.RESOURCES, Set.of());
      }
      Set<String> names = new TreeSet<>();
      for (JsonNode claim : elements(resources, path + ".resources", "claims")) {
        @Nullable String name = text(claim, path + ".resources.claims", "name");
        if (name != null) {
          names.add(name);
        }
      }
      return resources.path("claims").isArray()
          ? new ClaimList(ClaimList.Missing.NOTHING, names)
          : new ClaimList(ClaimList.Missing.CLAIMS, names);
    }

    /** Requests, overridden by limits, which extended resources must have. */
    Map<String, String> resources() {
      Map<String, String> read = resources;
      if (read == null) {
        read = readResources();
        resources = read;
      }
      return read;
    }

    /** Read once, as the containers of a pod are looked through several times. */
    RequestedGpu gpu() {
      RequestedGpu read = gpu;
      if (read == null) {
        read = RequestedGpu.of(name(), resources());
        gpu = read;
      }
      return read;
    }

    private Map<String, String> readResources() {
      JsonNode resources = object(json, path, "resources");
      String resourcesPath = path + ".resources";
      Map<String, String> all = new LinkedHashMap<>();
      readScalars(object(resources, resourcesPath, "requests"), resourcesPath, all);
      readScalars(object(resources, resourcesPath, "limits"), resourcesPath, all);
      return Collections.unmodifiableMap(all);
    }
  }

  /**
   * What the resources of one container request of GPUs.
   *
   * @param request a whole GPU or a part of one; empty for none, and where dialects contradict
   * @param mig the requested MIG instance
   * @param problems the quantities that break their rule
   */
  record RequestedGpu(Optional<GpuRequest> request, Optional<String> mig, Problems problems) {
    static RequestedGpu of(String container, Map<String, String> resources) {
      Problems problems = new Problems();
      ResourceReader reader = new ResourceReader(container, resources, problems);
      return new RequestedGpu(
          GpuDialects.ofResources(reader), GpuDialects.migInstance(reader), problems);
    }
  }

  private final JsonNode json;
  private final JsonNode metadata;
  private final JsonNode spec;
  private final JsonNode status;
  private @Nullable Map<String, String> annotations;
  private @Nullable List<Container> containers;
  private @Nullable List<Container> initContainers;

  public PodDocument(JsonNode pod) {
    if (!pod.isObject()) {
      throw InputException.malformed("malformed-pod", "The pod is not a JSON object.");
    }
    json = pod;
    metadata = object(pod, "pod", "metadata");
    spec = object(pod, "pod", "spec");
    status = object(pod, "pod", "status");
  }

  /** What is read. */
  public JsonNode json() {
    return json;
  }

  /** Its name, possibly partial; without a namespace in the document, {@code namespace} applies. */
  public PodIdentity identity(String namespace) {
    @Nullable String own = text(metadata, "metadata", "namespace");
    return new PodIdentity(
        own == null ? namespace : own,
        text(metadata, "metadata", "name"),
        text(metadata, "metadata", "generateName"));
  }

  /** Null before the API server has made one. */
  public @Nullable String uid() {
    return text(metadata, "metadata", "uid");
  }

  /** Whether {@code metadata.annotations} is present. */
  public boolean hasAnnotations() {
    return metadata.path("annotations").isObject();
  }

  /** Annotations in document order. */
  public Map<String, String> annotations() {
    Map<String, String> read = annotations;
    if (read == null) {
      read = texts(metadata, "metadata", "annotations");
      annotations = read;
    }
    return read;
  }

  public Map<String, String> labels() {
    return texts(metadata, "metadata", "labels");
  }

  /** Whether {@code spec.nodeSelector} is present. */
  public boolean hasNodeSelector() {
    return spec.path("nodeSelector").isObject();
  }

  public Map<String, String> nodeSelector() {
    return texts(spec, "spec", "nodeSelector");
  }

  /** Whether {@code spec.resourceClaims} is present. */
  public boolean hasResourceClaims() {
    return spec.path("resourceClaims").isArray();
  }

  /** Its ResourceClaims, by its own names; empty for a claim of a template. */
  public Map<String, String> resourceClaims() {
    Map<String, String> claims = new TreeMap<>();
    for (JsonNode claim : elements(spec, "spec", "resourceClaims")) {
      @Nullable String name = text(claim, "spec.resourceClaims", "name");
      @Nullable String made = text(claim, "spec.resourceClaims", "resourceClaimName");
      if (name != null) {
        claims.put(name, Objects.requireNonNullElse(made, ""));
      }
    }
    return claims;
  }

  /** Names of its scheduling gates, in their order. */
  public List<String> gates() {
    List<String> names = new ArrayList<>();
    List<JsonNode> gates = elements(spec, "spec", "schedulingGates");
    for (int i = 0; i < gates.size(); i++) {
      String name = text(gates.get(i), "spec.schedulingGates[" + i + "]", "name");
      names.add(Objects.requireNonNullElse(name, ""));
    }
    return List.copyOf(names);
  }

  /** Whether {@code spec.schedulingGates} is present. */
  public boolean hasGates() {
    return spec.path("schedulingGates").isArray();
  }

  /** The scheduler of the manifest; null where it names none. */
  public @Nullable String schedulerName() {
    return text(spec, "spec", "schedulerName");
  }

  /** The node of the manifest; null where the scheduler chooses. */
  public @Nullable String nodeName() {
    return text(spec, "spec", "nodeName");
  }

  /**
   * Whether a deletion with this grace period in seconds (null for unknown) ends it: the API server
   * removes unbound and finished pods at once, and all others after the report of their node, by a
   * deletion without grace period.
   */
  public boolean endsWhenDeletedWithin(@Nullable Long gracePeriodSeconds) {
    return (gracePeriodSeconds != null && gracePeriodSeconds == 0)
        || nodeName() == null
        || hasFinished();
  }

  /** Whether all its containers have ended for good. */
  public boolean hasFinished() {
    @Nullable String phase = text(status, "status", "phase");
    return "Succeeded".equals(phase) || "Failed".equals(phase);
  }

  boolean requiresNodeAffinity() {
    JsonNode affinity = object(spec, "spec", "affinity");
    return object(affinity, "spec.affinity", "nodeAffinity")
        .path("requiredDuringSchedulingIgnoredDuringExecution")
        .isObject();
  }

  List<Container> containers() {
    List<Container> read = containers;
    if (read == null) {
      read = containers("containers");
      containers = read;
    }
    return read;
  }

  List<Container> initContainers() {
    List<Container> read = initContainers;
    if (read == null) {
      read = containers("initContainers");
      initContainers = read;
    }
    return read;
  }

  private List<Container> containers(String field) {
    List<Container> all = new ArrayList<>();
    for (JsonNode container : elements(spec, "spec", field)) {
      all.add(new Container(container, field, all.size()));
    }
    return List.copyOf(all);
  }

  /** The objects of a list; none where it is absent. */
  private static List<JsonNode> elements(JsonNode parent, String path, String field) {
    JsonNode array = parent.path(field);
    if (isAbsent(array)) {
      return List.of();
    }
    if (!array.isArray()) {
      throw notA("list", path + "." + field);
    }
    List<JsonNode> objects = new ArrayList<>();
    for (JsonNode element : array) {
      if (!element.isObject()) {
        throw notA("object", path + "." + field + "[" + objects.size() + "]");
      }
      objects.add(element);
    }
    return objects;
  }

  private static Map<String, String> texts(JsonNode parent, String path, String field) {
    JsonNode object = object(parent, path, field);
    if (object.isEmpty()) {
      return Map.of();
    }
    Map<String, String> texts = new LinkedHashMap<>();
    object
        .properties()
        .forEach(entry -> {
          if (!entry.getValue().isTextual()) {
            throw notA("quoted string", path + "." + field + "['" + entry.getKey() + "']");
          }
          texts.put(entry.getKey(), entry.getValue().textValue());
        });
    return Collections.unmodifiableMap(texts);
  }

  private static void readScalars(JsonNode object, String path, Map<String, String> into) {
    object
        .properties()
        .forEach(entry -> {
          JsonNode value = entry.getValue();
          if (!value.isTextual() && !value.isNumber()) {
            throw notA("quantity", path + "['" + entry.getKey() + "']");
          }
          into.put(entry.getKey(), value.asText());
        });
  }

  private static JsonNode object(JsonNode parent, String path, String field) {
    JsonNode node = parent.path(field);
    if (isAbsent(node)) {
      return MissingNode.getInstance();
    }
    if (!node.isObject()) {
      throw notA("object", path + "." + field);
    }
    return node;
  }

  private static @Nullable String text(JsonNode parent, String path, String field) {
    JsonNode node = parent.path(field);
    if (isAbsent(node)) {
      return null;
    }
    if (!node.isTextual()) {
      throw notA("string", path + "." + field);
    }
    return node.textValue().isEmpty() ? null : node.textValue();
  }

  private static boolean isAbsent(JsonNode node) {
    return node.isMissingNode() || node.isNull();
  }

  private static InputException notA(String type, String path) {
    return InputException.malformed(
        "malformed-pod",
        "The pod's " + path + " is not a JSON " + type + ": correct the manifest.");
  }
}
