package dev.cotenant.cli.service;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import nl.altindag.ssl.exception.GenericException;
import nl.altindag.ssl.util.KeyStoreUtils;
import nl.altindag.ssl.util.SSLContextUtils;
import nl.altindag.ssl.util.TrustManagerUtils;

/** Talks to a service on this machine as an API server and a health check do. */
final class ServiceClient implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final ObjectReader JSON = JsonMapper.builder().build().readerFor(JsonNode.class);
  private static final int OK = 200;

  /** How the service keeps its self-signed certificate, in its data directory. */
  static final String CERTIFICATE_FILE = "webhook.p12";

  private static final String CERTIFICATE_PASSWORD = "cotenant";

  private final HttpClient http = HttpClient.newBuilder().connectTimeout(TIMEOUT).build();
  private final URI health;
  private final String explain;
  private final String fleets;
  private final URI webhook;

  ServiceClient(ServiceOptions options) {
    String pages = "http://localhost:" + options.port();
    health = URI.create(pages + "/q/health/ready");
    explain = pages + "/v1/explain/";
    fleets = pages + "/v1/fleets?name=";
    webhook = URI.create("https://localhost:" + options.httpsPort() + "/webhooks/mutate");
  }

  /** Whether the service says that it is ready; one that does not answer is not. */
  boolean isReady() throws InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(health).timeout(TIMEOUT).build();
    try {
      return http.send(request, BodyHandlers.discarding()).statusCode() == OK;
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Sends a review to the mutating webhook, trusting the service's own certificate and no other.
   *
   * @param data the service's data directory, where its certificate is
   */
  JsonNode mutate(JsonNode review, Path data) throws IOException, InterruptedException {
    try (HttpClient https =
        HttpClient.newBuilder().connectTimeout(TIMEOUT).sslContext(trusting(data)).build()) {
      HttpRequest request = post(webhook, BodyPublishers.ofString(review.toString()));
      return JSON.readTree(answer(https, request));
    }
  }

  /** Has a fleet of services watched, by the document in a file. */
  void watch(String fleet, Path document) throws IOException, InterruptedException {
    answer(http, post(URI.create(fleets + fleet), BodyPublishers.ofFile(document)));
  }

  private static HttpRequest post(URI address, HttpRequest.BodyPublisher body) {
    return HttpRequest.newBuilder(address)
        .timeout(TIMEOUT)
        .header("Content-Type", "application/json")
        .POST(body)
        .build();
  }

  /** What the service knows of a pod, {@code namespace/name}; empty where that is nothing yet. */
  Optional<JsonNode> explanation(String pod) throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(explain + pod)).timeout(TIMEOUT).build();
    HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
    return response.statusCode() == OK
        ? Optional.of(JSON.readTree(response.body()))
        : Optional.empty();
  }

  private static String answer(HttpClient client, HttpRequest request)
      throws IOException, InterruptedException {
    HttpResponse<String> response = client.send(request, BodyHandlers.ofString());
    if (response.statusCode() != OK) {
      throw new IOException(request.uri() + " answered with status " + response.statusCode());
    }
    return response.body();
  }

  private static SSLContext trusting(Path data) throws IOException {
    Path file = data.resolve(CERTIFICATE_FILE);
    try {
      KeyStore trusted = KeyStoreUtils.loadKeyStore(file, CERTIFICATE_PASSWORD.toCharArray());
      return SSLContextUtils.createSslContext(
          List.of(), List.of(TrustManagerUtils.createTrustManager(trusted)));
    } catch (GenericException e) {
      throw new IOException(file + " cannot be read: " + e.getMessage(), e);
    }
  }

  @Override
  public void close() {
    http.close();
  }
}
