package dev.cotenant.service.webhook;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/** Talks to the webhook port as an API server does, over TLS; it trusts any certificate. */
public final class WebhookClient {
  private final int port;
  private final HttpClient client;

  public WebhookClient(int port) {
    this(port, trustingAll());
  }

  /** One that presents what the context has. */
  WebhookClient(int port, SSLContext context) {
    this.port = port;
    client = HttpClient.newBuilder().sslContext(context).build();
  }

  /** Sends a body and gives the whole answer. */
  public HttpResponse<String> post(String path, byte[] body) {
    return send(request(path).POST(HttpRequest.BodyPublishers.ofByteArray(body)).build());
  }

  /** Sends a request with an Authorization header, where it is not null. */
  public HttpResponse<String> send(
      String method, String path, @Nullable String authorization, byte[] body) {
    HttpRequest.Builder request =
        request(path).method(method, HttpRequest.BodyPublishers.ofByteArray(body));
    request.header("Content-Type", "application/json");
    if (authorization != null) {
      request.header("Authorization", authorization);
    }
    return send(request.build());
  }

  /** Asks for a path. */
  public HttpResponse<String> get(String path) {
    return send(request(path).GET().build());
  }

  /** A review of a pod that asks for so many GPUs for a model. */
  public static byte[] review(String model, int gpus) {
    return """
    {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
      "uid": "u-1", "kind": {"group": "", "version": "v1", "kind": "Pod"},
      "operation": "CREATE", "namespace": "team-a", "userInfo": {"username": "me"},
      "object": {"apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": "train", "annotations": {"cotenant.dev/model": "%s"}},
        "spec": {"containers": [
          {"name": "main", "resources": {"limits": {"nvidia.com/gpu": "%d"}}}]}}}}
    """
        .formatted(model, gpus)
        .getBytes(StandardCharsets.UTF_8);
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("https://localhost:" + port + path));
  }

  private HttpResponse<String> send(HttpRequest request) {
    try {
      return client.send(request, HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Trusts any certificate. */
  public static SSLContext trustingAll(KeyManager... keys) {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys, new TrustManager[] {new TrustAll()}, null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static final class TrustAll implements X509TrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
