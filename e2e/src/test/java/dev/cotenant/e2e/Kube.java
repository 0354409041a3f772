package dev.cotenant.e2e;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.StreamSupport;

/** An API server as somebody sees it: JSON in, JSON out, nothing tried again. */
final class Kube implements AutoCloseable {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final String DISCOVERY =
      "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
  private static final int PATIENCE_SECONDS = 40;

  private final KubernetesClient client;
  private final String url;

  /** Says where the server is and who asks. */
  Kube(Config config) {
    client =
        new KubernetesClientBuilder()
            .withConfig(new ConfigBuilder(config).withRequestRetryBackoffLimit(0).build())
            .build();
    url = config.getMasterUrl().replaceAll("/+$", "");
  }

  /** For watches. */
  KubernetesClient client() {
    return client;
  }

  /** An answer, with the texts of its warnings. */
  record Answer(int code, JsonNode body, List<String> warnings) {
    boolean isSuccessful() {
      return code >= 200 && code < 300;
    }

    String message() {
      return body.path("message").asText();
    }

    /** The body of an answer that says yes. */
    JsonNode required() {
      if (!isSuccessful()) {
        throw new AssertionError(code + " " + body);
      }
      return body;
    }
  }

  Answer get(String path) {
    return send("GET", path, "application/json", "");
  }

  Answer create(String path, String json) {
    return send("POST", path, "application/json", json);
  }

  Answer merge(String path, String json) {
    return send("PATCH", path, "application/merge-patch+json", json);
  }

  Answer strategicMerge(String path, String json) {
    return send("PATCH", path, "application/strategic-merge-patch+json", json);
  }

  Answer jsonPatch(String path, String json) {
    return send("PATCH", path, "application/json-patch+json", json);
  }

  /** Deletes it and what it owns at once, whether or not a kubelet agrees. */
  Answer delete(String path) {
    return send(
        "DELETE",
        path + "?gracePeriodSeconds=0&propagationPolicy=Background",
        "application/json",
        "");
  }

  /** Deletes the pod with this uid at once, and no other that has its name. */
  Answer deletePod(String path, String uid) {
    return send(
        "DELETE",
        path,
        "application/json",
        "{\"gracePeriodSeconds\": 0, \"preconditions\": {\"uid\": \"%s\"}}".formatted(uid));
  }

  /** Creates it in place of what has its name. */
  void put(String path, JsonNode object) {
    String name = path + "/" + object.at("/metadata/name").asText();
    if (create(path, object.toString()).code() == 409) {
      delete(name);
      create(path, object.toString()).required();
    } else {
      get(name).required();
    }
  }

  List<JsonNode> list(String path) {
    return StreamSupport.stream(get(path).required().path("items").spliterator(), false).toList();
  }

  /**
   * Whether clients find resources of this name in the API's group; some time after its creation.
   */
  boolean discovers(String group, String resource) {
    JsonNode groups = send("GET", "/apis", "application/json", "", DISCOVERY).required();
    return StreamSupport.stream(groups.path("items").spliterator(), false)
        .filter(one -> one.at("/metadata/name").asText().equals(group))
        .flatMap(one -> one.findValuesAsText("resource").stream())
        .anyMatch(resource::equals);
  }

  private Answer send(String method, String path, String type, String body) {
    return send(method, path, type, body, "application/json");
  }

  private Answer send(String method, String path, String type, String body, String accepted) {
    HttpRequest request =
        client
            .getHttpClient()
            .newHttpRequestBuilder()
            .uri(url + path)
            .header("Accept", accepted)
            .method(method, type, body.isEmpty() ? null : body)
            .timeout(PATIENCE_SECONDS, TimeUnit.SECONDS)
            .build();
    try {
      HttpResponse<String> response =
          client
              .getHttpClient()
              .sendAsync(request, String.class)
              .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
      return new Answer(
          response.code(),
          parse(response.body()),
          response.headers("Warning").stream()
              .map(header -> header.replaceFirst("^299 - ", ""))
              .toList());
    } catch (ExecutionException | TimeoutException e) {
      throw new UncheckedIOException(new IOException(method + " " + path, e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static JsonNode parse(String body) {
    try {
      return body == null ? MissingNode.getInstance() : MAPPER.readTree(body);
    } catch (JsonProcessingException e) {
      return MissingNode.getInstance(); // "ok" of /readyz
    }
  }

  @Override
  public void close() {
    client.close();
  }
}
