package dev.cotenant.cli.files;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SequencedCollection;
import java.util.TreeSet;

/** Pods described by Kubernetes objects: a pod itself, or one pod per template. */
final class PodTemplates {
  private static final String EACH = "*";
  private static final String OF_SPEC = "spec/template";

  /** Where an object of a kind has its templates; {@code *} is every element or field. */
  private static final Map<String, List<String>> PATHS =
      Map.ofEntries(
          Map.entry("PodTemplate", List.of("template")),
          Map.entry("Deployment", List.of(OF_SPEC)),
          Map.entry("ReplicaSet", List.of(OF_SPEC)),
          Map.entry("ReplicationController", List.of(OF_SPEC)),
          Map.entry("StatefulSet", List.of(OF_SPEC)),
          Map.entry("DaemonSet", List.of(OF_SPEC)),
          Map.entry("Job", List.of(OF_SPEC)),
          Map.entry("CronJob", List.of("spec/jobTemplate/spec/template")),
          Map.entry("JobSet", List.of("spec/replicatedJobs/*/template/spec/template")),
          Map.entry("PyTorchJob", List.of("spec/pytorchReplicaSpecs/*/template")),
          Map.entry("MPIJob", List.of("spec/mpiReplicaSpecs/*/template")),
          Map.entry(
              "LeaderWorkerSet",
              List.of(
                  "spec/leaderWorkerTemplate/leaderTemplate",
                  "spec/leaderWorkerTemplate/workerTemplate")));

  private final List<JsonNode> pods = new ArrayList<>();

  private PodTemplates() {}

  /** The kinds that are read, in the order of their names. */
  static SequencedCollection<String> kinds() {
    return new TreeSet<>(PATHS.keySet());
  }

  /** The pods of an object, or of each item of a list; none where its kind has no template. */
  static List<JsonNode> pods(JsonNode object) {
    PodTemplates templates = new PodTemplates();
    templates.add(object);
    return List.copyOf(templates.pods);
  }

  private void add(JsonNode object) {
    String kind = object.path("kind").asText();
    if (kind.equals("Pod")) {
      pods.add(object);
    } else if (kind.equals("List")) {
      object.path("items").forEach(this::add);
    } else {
      JsonNode owner = object.path("metadata");
      for (String path : PATHS.getOrDefault(kind, List.of())) {
        descend(object, List.of(path.split("/")), owner, owner.path("name").asText());
      }
    }
  }

  private void descend(JsonNode node, List<String> path, JsonNode owner, String name) {
    if (path.isEmpty()) {
      if (node.isObject()) {
        pods.add(pod(node, owner, name));
      }
      return;
    }
    List<String> rest = path.subList(1, path.size());
    if (!path.getFirst().equals(EACH)) {
      descend(node.path(path.getFirst()), rest, owner, name);
    } else if (node.isObject()) {
      node.properties()
          .forEach(field -> descend(field.getValue(), rest, owner, name + "-" + field.getKey()));
    } else {
      node.forEach(
          element -> descend(element, rest, owner, name + "-" + element.path("name").asText()));
    }
  }

  /** A pod as its controller would create it, before the API server has made its name. */
  private static JsonNode pod(JsonNode template, JsonNode owner, String name) {
    ObjectNode pod = JsonNodeFactory.instance.objectNode().put("apiVersion", "v1");
    pod.put("kind", "Pod");
    ObjectNode metadata = pod.putObject("metadata");
    template
        .path("metadata")
        .properties()
        .forEach(field -> metadata.set(field.getKey(), field.getValue()));
    metadata.remove("name");
    metadata.put("generateName", name + "-");
    if (owner.has("namespace")) {
      metadata.set("namespace", owner.get("namespace"));
    }
    pod.set("spec", template.path("spec"));
    return pod;
  }
}
