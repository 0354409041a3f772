package dev.cotenant.benchmarks.webhook;

import io.vertx.core.AbstractVerticle;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.PfxOptions;
import java.nio.file.Path;

/**
 * The HTTPS server of the webhooks without webhooks, on as many event loops: takes a body to its
 * end and answers so many bytes. Baseline for a webhook's throughput.
 */
public final class EmptyEndpoint {
  private EmptyEndpoint() {}

  /** Arguments: port, key store of the service, bytes of an answer. */
  public static void main(String[] arguments) {
    int port = Integer.parseInt(arguments[0]);
    Path keys = Path.of(arguments[1]);
    Buffer answer = Buffer.buffer(new byte[Integer.parseInt(arguments[2])]);
    HttpServerOptions options =
        new HttpServerOptions()
            .setHost("127.0.0.1")
            .setPort(port)
            .setSsl(true)
            .setUseAlpn(false)
            .setKeyCertOptions(new PfxOptions().setPath(keys.toString()).setPassword("cotenant"));
    Handler<HttpServerRequest> empty =
        request -> {
          Buffer body = Buffer.buffer();
          request.handler(body::appendBuffer);
          request.endHandler(_ ->
              request
                  .response()
                  .putHeader(HttpHeaders.CONTENT_TYPE, "application/json")
                  .end(answer.copy()));
        };
    Vertx.vertx()
        .deployVerticle(
            () -> new Server(options, empty),
            new DeploymentOptions()
                .setInstances(Math.clamp(Runtime.getRuntime().availableProcessors(), 1, 8)))
        .toCompletionStage()
        .toCompletableFuture()
        .join();
  }

  private static final class Server extends AbstractVerticle {
    private final HttpServerOptions options;
    private final Handler<HttpServerRequest> handler;

    private Server(HttpServerOptions options, Handler<HttpServerRequest> handler) {
      this.options = options;
      this.handler = handler;
    }

    @Override
    public void start(Promise<Void> started) {
      vertx
          .createHttpServer(options)
          .requestHandler(handler)
          .listen()
          .<Void>mapEmpty()
          .onComplete(started);
    }
  }
}
