package dev.cotenant.service.webhook;

import io.vertx.core.AbstractVerticle;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * HTTP servers on one port, each with an event loop of its own: Vert.x gives connections to them in
 * turn. One alone would answer on one core, however many there are.
 */
final class Listeners {
  /** API servers keep a few connections open; more event loops would have none. */
  private static final int MAX = 8;

  /**
   * Servers with the same negative port share one that is free. Such a number is the whole
   * process's: Quarkus takes the first few for its own servers.
   */
  private static final AtomicInteger ANY_SHARED = new AtomicInteger(-1_000);

  private final Vertx vertx;
  private final int port;
  private final String deployment;

  private Listeners(Vertx vertx, int port, String deployment) {
    this.vertx = vertx;
    this.port = port;
    this.deployment = deployment;
  }

  /**
   * Opens the port, with as many servers as this process may use cores.
   *
   * @param options with port 0 for any that is free
   * @throws CompletionException when it cannot be opened; the cause says why
   */
  static Listeners open(
      Vertx vertx, HttpServerOptions options, Handler<HttpServerRequest> handler) {
    HttpServerOptions shared = new HttpServerOptions(options);
    if (options.getPort() == 0) {
      shared.setPort(ANY_SHARED.getAndDecrement());
    }
    int count = Math.clamp(Runtime.getRuntime().availableProcessors(), 1, MAX);
    AtomicInteger port = new AtomicInteger();
    String deployment =
        vertx
            .deployVerticle(
                () -> new Listener(shared, handler, port),
                new DeploymentOptions().setInstances(count))
            .toCompletionStage()
            .toCompletableFuture()
            .join();
    return new Listeners(vertx, port.get(), deployment);
  }

  int port() {
    return port;
  }

  /** Closes the port and all its connections, and waits for that at most for so long. */
  void close(Duration patience) {
    vertx
        .undeploy(deployment)
        .toCompletionStage()
        .toCompletableFuture()
        .completeOnTimeout(null, patience.toMillis(), TimeUnit.MILLISECONDS)
        .join();
  }

  /** One server, which closes with its deployment. */
  private static final class Listener extends AbstractVerticle {
    private final HttpServerOptions options;
    private final Handler<HttpServerRequest> handler;
    private final AtomicInteger port;

    private Listener(
        HttpServerOptions options, Handler<HttpServerRequest> handler, AtomicInteger port) {
      this.options = options;
      this.handler = handler;
      this.port = port;
    }

    @Override
    public void start(Promise<Void> started) {
      vertx
          .createHttpServer(options)
          .requestHandler(handler)
          .listen()
          .onSuccess(listening -> port.set(listening.actualPort()))
          .<Void>mapEmpty()
          .onComplete(started);
    }
  }
}
