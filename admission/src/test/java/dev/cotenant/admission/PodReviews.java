package dev.cotenant.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Reviews around pods, which are written with single quotes. */
final class PodReviews {
  private PodReviews() {}

  /** A pod called {@code p} in team-a. */
  static JsonNode pod(String annotations, String spec) {
    return Bench.json(
        "{'metadata':{'name':'p','namespace':'team-a','annotations':{%s}},'spec':{%s}}"
            .formatted(annotations, spec));
  }

  /** A container that asks for a GPU. */
  static String main() {
    return "'containers':[{'name':'main','resources':{'limits':{'nvidia.com/gpu':'1'}}}]";
  }

  static JsonNode creating(JsonNode pod) {
    return review("CREATE", null, pod);
  }

  /** Of a pod or, where one is named, of its subresource. */
  static JsonNode updating(@Nullable String subResource, JsonNode before, JsonNode after) {
    ObjectNode review = review("UPDATE", subResource, after);
    ((ObjectNode) review.path("request")).set("oldObject", before);
    return review;
  }

  static JsonNode by(String user, JsonNode review) {
    ObjectNode copy = review.deepCopy();
    ((ObjectNode) copy.path("request")).putObject("userInfo").put("username", user);
    return copy;
  }

  static JsonNode dryRun(JsonNode review) {
    ObjectNode copy = review.deepCopy();
    ((ObjectNode) copy.path("request")).put("dryRun", true);
    return copy;
  }

  private static ObjectNode review(String operation, @Nullable String subResource, JsonNode pod) {
    ObjectNode review =
        JsonNodeFactory.instance
            .objectNode()
            .put("apiVersion", "admission.k8s.io/v1")
            .put("kind", "AdmissionReview");
    ObjectNode request = review.putObject("request").put("uid", "u");
    request.putObject("kind").put("version", "v1").put("kind", "Pod");
    request.put("operation", operation).put("namespace", "team-a");
    if (subResource != null) {
      request.put("subResource", subResource);
    }
    request.set("object", pod);
    return review;
  }
}
