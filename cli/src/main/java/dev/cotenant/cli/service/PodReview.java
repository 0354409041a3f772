package dev.cotenant.cli.service;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.cli.files.PodManifest;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/** The AdmissionReview that an API server sends when a pod is created. */
final class PodReview {
  private static final String NAMESPACE = "demo";

  private PodReview() {}

  /** Namespace and name of the pod, as decisions call it. */
  static String name(PodManifest manifest) {
    JsonNode metadata = manifest.pod().path("metadata");
    return metadata.path("namespace").asText(NAMESPACE) + "/" + metadata.path("name").asText();
  }

  /** A review of the creation of this pod; same manifest, same review. */
  static ObjectNode ofCreation(PodManifest manifest) {
    ObjectNode pod = manifest.pod().deepCopy();
    ObjectNode metadata = pod.withObject("/metadata");
    String namespace = metadata.path("namespace").asText(NAMESPACE);
    String name = metadata.path("name").asText();
    metadata.put("namespace", namespace);

    ObjectNode request = JsonNodeFactory.instance.objectNode();
    request.put("uid", uid(namespace + "/" + name));
    request.set("kind", groupVersion("kind", "Pod"));
    request.set("resource", groupVersion("resource", "pods"));
    request.set("requestKind", groupVersion("kind", "Pod"));
    request.set("requestResource", groupVersion("resource", "pods"));
    request.put("name", name);
    request.put("namespace", namespace);
    request.put("operation", "CREATE");
    request.putObject("userInfo").put("username", "demo").putArray("groups").add("demo");
    request.set("object", pod);
    request.putNull("oldObject");
    request.put("dryRun", false);
    request.putObject("options").put("kind", "CreateOptions").put("apiVersion", "meta.k8s.io/v1");

    ObjectNode review = JsonNodeFactory.instance.objectNode();
    review.put("kind", "AdmissionReview");
    review.put("apiVersion", "admission.k8s.io/v1");
    review.set("request", request);
    return review;
  }

  private static JsonNode groupVersion(String what, String name) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("group", "")
        .put("version", "v1")
        .put(what, name);
  }

  private static String uid(String pod) {
    return UUID.nameUUIDFromBytes(pod.getBytes(StandardCharsets.UTF_8)).toString();
  }
}
