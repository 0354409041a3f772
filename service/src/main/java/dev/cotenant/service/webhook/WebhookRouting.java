package dev.cotenant.service.webhook;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.jboss.logging.Logger;

/**
 * Two paths that take a body and give one, and a path that says the port is open. Everything else
 * is a plain HTTP error: whoever asks is no API server.
 */
final class WebhookRouting {
  /**
   * The most of a body that is kept. It is beyond what a review can have; what is longer is
   * answered like any other body that is no review.
   */
  static final int MAX_BODY_BYTES = 8 << 20;

  private static final Logger LOG = Logger.getLogger(WebhookRouting.class);
  private static final String HEALTH = "/healthz";
  private static final String JSON = "application/json";

  /**
   * Longest body that is answered on the event loop where nothing but reading is to be done: tens
   * of microseconds, less than handing it to another thread and back. Pods have a few KiB.
   */
  private static final int MAX_EVENT_LOOP_BYTES = 32 << 10;

  private static final Duration DRAIN_STEP = Duration.ofMillis(5);

  /** Bodies that were taken and are not answered yet. */
  private final AtomicInteger answering = new AtomicInteger();

  private final Map<String, Target> targets;
  private final Executor executor;

  /** Who may answer a short body. */
  enum AnsweredBy {
    /** Nothing is waited for, locked or decided: the event loop itself. */
    EVENT_LOOP,
    /** Another thread, always. */
    WORKER
  }

  /** What answers the bodies that are sent to a path, and where. */
  record Target(UnaryOperator<byte[]> answer, AnsweredBy by) {}

  /**
   * @param targets by path
   * @param executor of workers; not an event loop
   */
  WebhookRouting(Map<String, Target> targets, Executor executor) {
    this.targets = Map.copyOf(targets);
    this.executor = executor;
  }

  void handle(HttpServerRequest request) {
    Target target = targets.get(request.path());
    if (target != null) {
      review(request, target);
    } else if (HEALTH.equals(request.path())) {
      health(request);
    } else {
      refuse(request, 404, "there is nothing here");
    }
  }

  private static void health(HttpServerRequest request) {
    if (HttpMethod.GET.equals(request.method())) {
      request.response().putHeader(HttpHeaders.CONTENT_TYPE, "text/plain").end("ok\n");
    } else {
      refuse(request.response().putHeader("Allow", "GET"), 405, "use GET");
    }
  }

  private void review(HttpServerRequest request, Target target) {
    if (!HttpMethod.POST.equals(request.method())) {
      refuse(request.response().putHeader("Allow", "POST"), 405, "use POST");
      return;
    }
    Buffer body = Buffer.buffer();
    request.handler(chunk -> appendWithinLimit(body, chunk));
    request.endHandler(_ -> answer(request.response(), body.getBytes(), target));
  }

  private static void appendWithinLimit(Buffer body, Buffer chunk) {
    int room = MAX_BODY_BYTES - body.length();
    if (room > 0) {
      body.appendBuffer(chunk, 0, Math.min(room, chunk.length()));
    }
  }

  private void answer(HttpServerResponse response, byte[] body, Target target) {
    answering.incrementAndGet();
    Executor thread =
        target.by() == AnsweredBy.EVENT_LOOP && body.length <= MAX_EVENT_LOOP_BYTES
            ? Runnable::run
            : executor;
    Future.fromCompletionStage(
            CompletableFuture.supplyAsync(() -> target.answer().apply(body), thread))
        .onSuccess(answer ->
            response
                .putHeader(HttpHeaders.CONTENT_TYPE, JSON)
                .end(Buffer.buffer(answer))
                .onComplete(_ -> answering.decrementAndGet()))
        .onFailure(failure -> {
          answering.decrementAndGet();
          String id = UUID.randomUUID().toString();
          LOG.errorf(failure, "webhook failed, error %s", id);
          refuse(response, 500, "internal error " + id);
        });
  }

  /** Waits until all that was asked so far is answered, at most for so long. */
  void drain(Duration patience) throws InterruptedException {
    Instant end = Instant.now().plus(patience);
    while (answering.get() > 0 && Instant.now().isBefore(end)) {
      Thread.sleep(DRAIN_STEP);
    }
  }

  private static void refuse(HttpServerRequest request, int status, String why) {
    refuse(request.response(), status, why);
  }

  private static void refuse(HttpServerResponse response, int status, String why) {
    response
        .setStatusCode(status)
        .putHeader(HttpHeaders.CONTENT_TYPE, "text/plain")
        .end(why + "\n");
  }
}
