package dev.cotenant.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.kubernetes.testing.Eventually;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** The pods of a namespace. */
final class Pods {
  private static final String GATES = "/spec/schedulingGates";
  private static final String ASSIGNED = annotation("assigned-gpu");

  private final Kube admin;
  private final String path;

  Pods(Kube admin, String namespace) {
    this.admin = admin;
    path = "/api/v1/namespaces/" + namespace + "/pods";
  }

  /** Where an annotation of ours is in a pod. */
  static String annotation(String name) {
    return "/metadata/annotations/cotenant.dev~1" + name;
  }

  static boolean hasGate(JsonNode pod) {
    return pod.at(GATES).toString().contains(PodManifest.GATE);
  }

  String path() {
    return path;
  }

  String path(String name) {
    return path + "/" + name;
  }

  Kube.Answer tryCreate(PodManifest pod) {
    return admin.create(path, pod.json().toString());
  }

  JsonNode create(PodManifest pod) {
    return tryCreate(pod).required();
  }

  Optional<JsonNode> find(String name) {
    Kube.Answer answer = admin.get(path(name));
    return answer.isSuccessful() ? Optional.of(answer.body()) : Optional.empty();
  }

  JsonNode get(String name) {
    return admin.get(path(name)).required();
  }

  List<JsonNode> all() {
    return admin.list(path);
  }

  boolean isUngated(String name) {
    return find(name).filter(pod -> !hasGate(pod)).isPresent();
  }

  void awaitUngated(String name) {
    try {
      Eventually.holds(name + " is ungated", () -> isUngated(name));
    } catch (AssertionError e) {
      throw new AssertionError(e.getMessage() + ", is " + find(name), e);
    }
  }

  /** A pod that fits nowhere waits, and says why. */
  void awaitReason(String name) {
    Eventually.holds(
        name + " is held with a reason",
        () -> !get(name).at(annotation("reason")).isMissingNode() && !isUngated(name));
  }

  /** As {@code kubectl drain}: without a word to its controller. */
  void evict(String name) {
    admin
        .create(
            path(name) + "/eviction",
            "{\"apiVersion\": \"policy/v1\", \"kind\": \"Eviction\", \"metadata\": {\"name\": \"%s\"}}"
                .formatted(name))
        .required();
  }

  /** The Events of the namespace. */
  String events() {
    return path.replaceFirst("pods$", "events");
  }

  /** How many of these pods run. */
  long running(Collection<String> names) {
    return all().stream()
        .filter(pod -> names.contains(pod.at("/metadata/name").asText()))
        .filter(Pods::isRunning)
        .count();
  }

  /** The GPU that it was granted. */
  String gpu(String name) {
    return get(name).at(ASSIGNED).asText();
  }

  /** Binds a pod that no scheduler has bound; it runs afterwards. */
  void bind(String name, String node) {
    admin.create(
        path(name) + "/binding",
        """
        {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "%s"},
         "target": {"apiVersion": "v1", "kind": "Node", "name": "%s"}}
        """
            .formatted(name, node));
    awaitRunning(name);
  }

  /** To the node that it was granted capacity on. */
  void bind(String name) {
    bind(name, get(name).at(Pods.annotation("assigned-node")).asText());
  }

  void awaitRunning(String name) {
    try {
      Eventually.holds(name + " runs", () -> isRunning(name));
    } catch (AssertionError e) {
      throw new AssertionError(e.getMessage() + ", is " + find(name), e);
    }
  }

  boolean isRunning(String name) {
    return find(name).filter(Pods::isRunning).isPresent();
  }

  static boolean isRunning(JsonNode pod) {
    return pod.at("/status/phase").asText().equals("Running")
        && pod.at("/metadata/deletionTimestamp").isMissingNode();
  }

  /** The node of a pod, empty before it is bound. */
  String node(String name) {
    return get(name).at("/spec/nodeName").asText("");
  }

  /** As a kubelet would. */
  void status(String name, String status) {
    admin.merge(path(name) + "/status", "{\"status\": " + status + "}").required();
  }

  void delete(String name) {
    admin.delete(path(name));
    Eventually.holds(name + " is gone", () -> find(name).isEmpty());
  }

  /** Where pods have the only GPUs of their nodes: no two that were ungated have the same. */
  void assertNoGpuIsGrantedTwice() {
    Map<String, List<String>> granted =
        all().stream()
            .filter(pod -> !hasGate(pod) && !pod.at(ASSIGNED).asText("").isEmpty())
            .collect(
                Collectors.groupingBy(
                    pod -> pod.at(ASSIGNED).asText(),
                    Collectors.mapping(
                        pod ->
                            pod.at("/metadata/name").asText()
                                + " at "
                                + pod.at(annotation("granted-at")).asText(),
                        Collectors.toList())));
    assertThat(granted).allSatisfy((gpu, to) -> assertThat(to).as(gpu).hasSize(1));
  }
}
