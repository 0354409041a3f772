package dev.cotenant.admission.kubernetes.api;

import dev.cotenant.domain.InputException;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The API server, by plain requests: JSON is sent and read as it is, so objects lose no unknown
 * fields, and an unreadable one stops nothing.
 *
 * <p>Nothing is retried here; callers know what is idempotent. Address and credentials come from a
 * kubeconfig file, else the pod's service account, else the user's kubeconfig. Safe for use by many
 * threads.
 */
public final class ApiServer implements AutoCloseable {
  public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(5);

  private static final int MAX_REFUSAL = 64 << 10;

  private final KubernetesClient client;
  private final String base;
  private final Duration timeout;

  private ApiServer(Config config, Duration timeout) {
    client = new KubernetesClientBuilder().withConfig(config).build();
    base = config.getMasterUrl().replaceAll("/+$", "");
    this.timeout = timeout;
  }

  /**
   * The server of a kubeconfig file, or of the environment. Does not connect yet.
   *
   * @param timeout of an answer
   * @throws InputException ({@code bad-kubeconfig}) where the file is unusable
   */
  public static ApiServer of(Optional<Path> kubeconfig, Duration timeout) {
    Config found = kubeconfig.map(ApiServer::read).orElseGet(() -> Config.autoConfigure(null));
    int millis = Math.toIntExact(timeout.toMillis());
    Config config =
        new ConfigBuilder(found)
            .withRequestRetryBackoffLimit(0)
            .withRequestTimeout(millis)
            .withConnectionTimeout(millis)
            .build();
    return new ApiServer(config, timeout);
  }

  private static Config read(Path kubeconfig) {
    if (!Files.isReadable(kubeconfig)) {
      throw InputException.invalidArgument(
          "bad-kubeconfig", "The kubeconfig " + kubeconfig + " cannot be read.");
    }
    try {
      return Config.fromKubeconfig(kubeconfig.toFile());
    } catch (KubernetesClientException | IllegalArgumentException e) {
      throw new InputException(
          InputException.Kind.INVALID_ARGUMENT,
          "bad-kubeconfig",
          "The kubeconfig " + kubeconfig + " cannot be used: " + e.getMessage(),
          e);
    }
  }

  /** Whether neither a kubeconfig nor a service account says where the server is. */
  public boolean isAssumed() {
    return base.equals(Config.DEFAULT_MASTER_URL);
  }

  /**
   * The longest silence of a loop with at most two calls between heartbeats: two timeouts, and ten
   * seconds for a busy processor.
   */
  public Duration longestSilence() {
    return timeout.multipliedBy(2).plusSeconds(10);
  }

  /** Sends a request; fails with the cause where there is no answer. */
  CompletableFuture<ApiResponse> send(ApiCall call) {
    HttpRequest request =
        builder(call.path())
            .method(call.method(), call.contentType(), call.body())
            .timeout(timeout.toMillis(), TimeUnit.MILLISECONDS)
            .build();
    return client
        .getHttpClient()
        .sendAsync(request, String.class)
        .thenApply(ApiServer::answer)
        .orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS);
  }

  /**
   * Sends a request and waits for its answer.
   *
   * @throws IOException without an answer; the message has the cause
   */
  public ApiResponse call(ApiCall call) throws IOException, InterruptedException {
    return await(send(call), timeout.plusSeconds(1));
  }

  /** A streamed answer. */
  public record Stream(int code, InputStream body) implements AutoCloseable {
    /** The complete short body, such as a refusal's. */
    public ApiResponse whole() throws IOException {
      return new ApiResponse(
          code, new String(body.readNBytes(MAX_REFUSAL), StandardCharsets.UTF_8), null);
    }

    @Override
    public void close() throws IOException {
      body.close();
    }
  }

  /**
   * Opens a stream of lines, such as a watch, or a long answer.
   *
   * @throws IOException when no answer began
   */
  public Stream open(String path) throws IOException, InterruptedException {
    HttpRequest request = builder(path).forStreaming().build();
    CompletableFuture<HttpResponse<InputStream>> answer =
        client.getHttpClient().sendAsync(request, InputStream.class);
    try {
      HttpResponse<InputStream> response = await(answer, timeout);
      return new Stream(response.code(), new ResponseBody(response.body()));
    } catch (IOException | InterruptedException e) {
      if (answer.state() == Future.State.SUCCESS) {
        answer.resultNow().body().close(); // it came while it was given up
      }
      throw e;
    }
  }

  private HttpRequest.Builder builder(String path) {
    return client
        .getHttpClient()
        .newHttpRequestBuilder()
        .uri(base + path)
        .header("Accept", "application/json");
  }

  private static <T> T await(CompletableFuture<T> answer, Duration atMost)
      throws IOException, InterruptedException {
    try {
      return answer.get(atMost.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw new IOException(describe(e.getCause()), e);
    } catch (InterruptedException e) {
      answer.cancel(true); // closes a stream that arrives later
      throw e;
    } catch (TimeoutException e) {
      answer.cancel(true);
      throw new IOException("no answer within " + atMost.toMillis() + " ms", e);
    }
  }

  /** The cause of a missing answer, on one line. */
  public static String describe(@Nullable Throwable failure) {
    Throwable cause = failure;
    while (cause != null
        && cause.getCause() != null
        && (cause.getMessage() == null || cause instanceof CompletionException)) {
      cause = cause.getCause();
    }
    if (cause == null) {
      return "unknown";
    }
    if (cause instanceof TimeoutException) {
      return "no answer in time";
    }
    String message = cause.getMessage() == null ? "" : ": " + cause.getMessage();
    return (cause.getClass().getSimpleName() + message).replaceAll("\\s+", " ");
  }

  private static ApiResponse answer(HttpResponse<String> response) {
    @Nullable String body = response.body();
    return new ApiResponse(response.code(), body == null ? "" : body, retryAfter(response));
  }

  private static @Nullable Duration retryAfter(HttpResponse<?> response) {
    String header = response.header("Retry-After");
    return header != null && header.matches("[0-9]{1,6}")
        ? Duration.ofSeconds(Long.parseLong(header))
        : null;
  }

  @Override
  public void close() {
    client.close();
  }
}
