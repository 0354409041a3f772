package dev.cotenant.service.webhook;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/** Sends requests of this process to a temporary HTTPS server of its own. */
final class HttpsWarmUp {
  static final String HOST = "127.0.0.1";
  static final String PATH = "/warm-up";

  private static final Logger LOG = Logger.getLogger(HttpsWarmUp.class);
  private static final int REQUESTS = 100;

  /** Limit of a request; the service starts without warm-up after it. */
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final Vertx vertx;

  HttpsWarmUp(Vertx vertx) {
    this.vertx = vertx;
  }

  /** Sends a body to a server with these options, some hundred times. */
  void run(HttpServerOptions options, Handler<HttpServerRequest> routing, byte[] body) {
    HttpServer server = vertx.createHttpServer(options).requestHandler(routing);
    HttpClient client = vertx.createHttpClient(client());
    try {
      complete(server.listen());
      for (int i = 0; i < REQUESTS; i++) {
        complete(send(client, server.actualPort(), body));
      }
    } catch (CompletionException e) {
      LOG.warnf("No warm-up, the first reviews may take longer: %s", String.valueOf(e.getCause()));
    } finally {
      var _ = Future.all(client.close(), server.close());
    }
  }

  /** It connects to this process only, so the certificate is not checked. */
  private static HttpClientOptions client() {
    return new HttpClientOptions().setSsl(true).setTrustAll(true).setVerifyHost(false);
  }

  /** On a context, so that the body handler is set before the answer arrives. */
  private Future<Buffer> send(HttpClient client, int port, byte[] body) {
    Promise<Buffer> answer = Promise.promise();
    vertx.runOnContext(_ ->
        client
            .request(HttpMethod.POST, port, HOST, PATH)
            .compose(request -> request.send(Buffer.buffer(body)))
            .compose(HttpClientResponse::body)
            .onComplete(answer));
    return answer.future();
  }

  private static void complete(Future<?> future) {
    future
        .toCompletionStage()
        .toCompletableFuture()
        .orTimeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
        .join();
  }
}
