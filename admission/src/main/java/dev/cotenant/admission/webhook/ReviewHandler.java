package dev.cotenant.admission.webhook;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.UnaryOperator;

/** Answers bodies of reviews. */
@FunctionalInterface
public interface ReviewHandler {
  /**
   * The answer to a body.
   *
   * @param workers run what may take longer than handing it to another thread; the caller's thread
   *     does the rest before this returns
   */
  CompletableFuture<byte[]> answer(byte[] body, Executor workers);

  /** A handler that runs entirely on worker threads. */
  static ReviewHandler byWorkers(UnaryOperator<byte[]> handler) {
    return (body, workers) -> CompletableFuture.supplyAsync(() -> handler.apply(body), workers);
  }
}
