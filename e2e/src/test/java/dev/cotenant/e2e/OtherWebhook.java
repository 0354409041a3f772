package dev.cotenant.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.function.Function;

/**
 * A mutating webhook of somebody else for the pods of one namespace, which is not called again. API
 * servers call configurations in the order of their names.
 */
final class OtherWebhook implements AutoCloseable {
  private static final String PATH =
      "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Kube admin;
  private final String name;
  private final HttpsServer server;

  /**
   * @param prefix of its name, which decides when it is called
   * @param patch the JSON patch of a pod
   */
  OtherWebhook(Stage stage, String namespace, String prefix, Function<JsonNode, String> patch) {
    admin = stage.admin();
    name = prefix + "-" + stage.names().release() + "-other";
    String host = stage.cluster().webhookHost();
    try {
      server = HttpsServer.create(new InetSocketAddress(host, 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.setHttpsConfigurator(new HttpsConfigurator(stage.certificate().context()));
    server.createContext("/", exchange -> answer(exchange, patch));
    server.start();
    String url = "https://" + host + ":" + server.getAddress().getPort() + "/";
    admin.put(PATH, configuration(stage, namespace, url));
  }

  /** It is registered and no longer answers. */
  void fail() {
    server.stop(0);
  }

  private ObjectNode configuration(Stage stage, String namespace, String url) {
    ObjectNode object = JSON.createObjectNode();
    object.put("apiVersion", "admissionregistration.k8s.io/v1");
    object.put("kind", "MutatingWebhookConfiguration").putObject("metadata").put("name", name);
    ObjectNode webhook = object.putArray("webhooks").addObject().put("name", "other.example.com");
    webhook.putArray("admissionReviewVersions").add("v1");
    webhook.put("sideEffects", "None").put("failurePolicy", "Ignore").put("timeoutSeconds", 5);
    webhook.put("reinvocationPolicy", "Never");
    webhook
        .putObject("clientConfig")
        .put("url", url)
        .put("caBundle", stage.certificate().authority());
    webhook
        .putObject("namespaceSelector")
        .putObject("matchLabels")
        .put("kubernetes.io/metadata.name", namespace);
    ObjectNode rule = webhook.putArray("rules").addObject();
    rule.putArray("apiGroups").add("");
    rule.putArray("apiVersions").add("v1");
    rule.putArray("operations").add("CREATE");
    rule.putArray("resources").add("pods");
    return object;
  }

  private static void answer(HttpExchange exchange, Function<JsonNode, String> patch)
      throws IOException {
    try (exchange) {
      JsonNode request = JSON.readTree(exchange.getRequestBody()).path("request");
      ObjectNode review = JSON.createObjectNode();
      review.put("apiVersion", "admission.k8s.io/v1").put("kind", "AdmissionReview");
      review
          .putObject("response")
          .put("uid", request.path("uid").asText())
          .put("allowed", true)
          .put("patchType", "JSONPatch")
          .put(
              "patch",
              Base64.getEncoder()
                  .encodeToString(
                      patch.apply(request.path("object")).getBytes(StandardCharsets.UTF_8)));
      byte[] body = JSON.writeValueAsBytes(review);
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(200, body.length);
      exchange.getResponseBody().write(body);
    }
  }

  @Override
  public void close() {
    admin.delete(PATH + "/" + name);
    server.stop(0);
  }
}
