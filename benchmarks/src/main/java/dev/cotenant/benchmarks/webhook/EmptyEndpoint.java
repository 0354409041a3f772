package dev.cotenant.benchmarks.webhook;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.PfxOptions;
import java.nio.file.Path;

/**
 * The HTTPS server of the webhooks without webhooks: takes a body to its end and answers so many
 * bytes. It is what a webhook's throughput is compared with.
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
    Vertx.vertx()
        .createHttpServer(options)
        .requestHandler(request -> {
          Buffer body = Buffer.buffer();
          request.handler(body::appendBuffer);
          request.endHandler(_ ->
              request
                  .response()
                  .putHeader(HttpHeaders.CONTENT_TYPE, "application/json")
                  .end(answer.copy()));
        })
        .listen()
        .toCompletionStage()
        .toCompletableFuture()
        .join();
  }
}
