package dev.cotenant.admission.kubernetes.api;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.review.JsonPatch;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * One request to the API server.
 *
 * @param method of HTTP
 * @param path absolute, with its query
 * @param contentType of the body
 * @param body null where there is none
 */
public record ApiCall(String method, String path, String contentType, @Nullable String body) {
  private static final String JSON = "application/json";
  private static final String MERGE_PATCH = "application/merge-patch+json";
  private static final String JSON_PATCH = "application/json-patch+json";

  public static ApiCall get(String path) {
    return new ApiCall("GET", path, JSON, null);
  }

  public static ApiCall post(String path, JsonNode body) {
    return new ApiCall("POST", path, JSON, body.toString());
  }

  public static ApiCall put(String path, JsonNode body) {
    return new ApiCall("PUT", path, JSON, body.toString());
  }

  public static ApiCall patch(String path, JsonPatch patch) {
    return new ApiCall(
        "PATCH", path, JSON_PATCH, new String(patch.toBytes(), StandardCharsets.UTF_8));
  }

  /** Sets the given members and removes null ones. */
  public static ApiCall merge(String path, JsonNode members) {
    return new ApiCall("PATCH", path, MERGE_PATCH, members.toString());
  }

  /** Deletes only the object of this uid. */
  public static ApiCall delete(String path, String uid) {
    JsonNode options =
        Json.object()
            .put("apiVersion", "v1")
            .put("kind", "DeleteOptions")
            .set("preconditions", Json.object().put("uid", uid));
    return new ApiCall("DELETE", path, JSON, options.toString());
  }

  /** Deletes the object of this name. */
  public static ApiCall delete(String path) {
    return new ApiCall("DELETE", path, JSON, null);
  }

  /** The path of an object in a namespace. */
  public static String namespaced(String prefix, String namespace, String resource, String name) {
    return namespaced(prefix, namespace, resource) + "/" + escaped(name);
  }

  /** The path of all objects of a namespace. */
  public static String namespaced(String prefix, String namespace, String resource) {
    return prefix + "/namespaces/" + escaped(namespace) + "/" + resource;
  }

  /** A value in a query, or a name in a path. */
  public static String escaped(String value) {
    return URLEncoder.encode(value, StandardCharsets.UTF_8);
  }
}
