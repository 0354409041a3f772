package dev.cotenant.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.stream.StreamSupport;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/** An API server as somebody with a token sees it: JSON in, JSON out. */
final class Kube {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final String url;
  private final String token;
  private final HttpClient http;

  Kube(String url, String token) {
    this.url = url;
    this.token = token;
    http = HttpClient.newBuilder().sslContext(trustingLoopback()).build();
  }

  /** An answer. */
  record Answer(int code, JsonNode body) {
    boolean isSuccessful() {
      return code >= 200 && code < 300;
    }

    String message() {
      return body.path("message").asText();
    }
  }

  String url() {
    return url;
  }

  Answer get(String path) {
    return send("GET", path, "application/json", "");
  }

  Answer create(String path, String json) {
    return send("POST", path, "application/json", json);
  }

  Answer patch(String path, String json) {
    return send("PATCH", path, "application/json-patch+json", json);
  }

  Answer merge(String path, String json) {
    return send("PATCH", path, "application/merge-patch+json", json);
  }

  Answer delete(String path) {
    return send("DELETE", path + "?gracePeriodSeconds=0", "application/json", "");
  }

  /** Creates it, or finds it there from before. */
  void ensure(String path, String json) {
    Answer answer = create(path, json);
    if (!answer.isSuccessful() && answer.code() != 409) {
      throw new IllegalStateException(path + ": " + answer.code() + " " + answer.message());
    }
  }

  List<JsonNode> list(String path) {
    Answer answer = get(path);
    if (!answer.isSuccessful()) {
      throw new IllegalStateException(path + ": " + answer.code() + " " + answer.message());
    }
    return StreamSupport.stream(answer.body().path("items").spliterator(), false).toList();
  }

  private Answer send(String method, String path, String type, String body) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url + path))
            .timeout(Duration.ofSeconds(40))
            .header("Authorization", "Bearer " + token)
            .header("Content-Type", type)
            .header("Accept", "application/json")
            .method(method, HttpRequest.BodyPublishers.ofString(body))
            .build();
    try {
      HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
      return new Answer(response.statusCode(), parse(response.body()));
    } catch (IOException e) {
      throw new UncheckedIOException(method + " " + path, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static JsonNode parse(String body) {
    try {
      return MAPPER.readTree(body);
    } catch (IOException e) {
      return MissingNode.getInstance(); // "ok" of /readyz
    }
  }

  /** Test servers on loopback sign their certificates themselves. */
  private static SSLContext trustingLoopback() {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, new TrustManager[] {new Trusting()}, new SecureRandom());
      return context;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static final class Trusting extends X509ExtendedTrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, java.net.Socket socket) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, java.net.Socket socket) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
