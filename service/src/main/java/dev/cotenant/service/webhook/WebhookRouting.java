package dev.cotenant.service.webhook;

import dev.cotenant.admission.webhook.ReviewHandler;
import dev.cotenant.service.overload.Connection;
import dev.cotenant.service.overload.LoadShedding;
import dev.cotenant.service.overload.OverloadBudget.Charge;
import dev.cotenant.service.overload.ShedCause;
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
import java.util.concurrent.atomic.AtomicInteger;
import org.jboss.logging.Logger;

/**
 * Two paths that take a body and give one, and a path that says the port is open. Everything else
 * is a plain HTTP error: such a caller is no API server.
 */
final class WebhookRouting {
  /**
   * Largest part of a body that is read. Above the size of any review; longer bodies are answered
   * as invalid reviews.
   */
  static final int MAX_BODY_BYTES = 8 << 20;

  private static final Logger LOG = Logger.getLogger(WebhookRouting.class);
  private static final String HEALTH = "/healthz";
  private static final String JSON = "application/json";

  /**
   * Longest body that is read on the event loop, and answered there unless the answer takes long:
   * tens of microseconds, less than handing it to another thread and back. Pods have a few KiB.
   */
  private static final int MAX_EVENT_LOOP_BYTES = 32 << 10;

  private static final Duration DRAIN_STEP = Duration.ofMillis(5);

  /** Bodies that were taken and are not answered yet. */
  private final AtomicInteger answering = new AtomicInteger();

  private final Map<String, ReviewHandler> targets;
  private final Workers workers;
  private final LoadShedding loadShedding;

  /**
   * @param targets by path
   * @param loadShedding the bounds beyond which reviews are shed
   */
  WebhookRouting(Map<String, ReviewHandler> targets, Workers workers, LoadShedding loadShedding) {
    this.targets = Map.copyOf(targets);
    this.workers = workers;
    this.loadShedding = loadShedding;
  }

  void handle(HttpServerRequest request) {
    ReviewHandler target = targets.get(request.path());
    if (target != null) {
      review(request, target);
    } else if (HEALTH.equals(request.path())) {
      health(request);
    } else {
      refuse(request, 404, "no webhook at this path");
    }
  }

  private static void health(HttpServerRequest request) {
    if (HttpMethod.GET.equals(request.method())) {
      request.response().putHeader(HttpHeaders.CONTENT_TYPE, "text/plain").end("ok\n");
    } else {
      refuse(request.response().putHeader("Allow", "GET"), 405, "use GET");
    }
  }

  private void review(HttpServerRequest request, ReviewHandler target) {
    if (!HttpMethod.POST.equals(request.method())) {
      refuse(request.response().putHeader("Allow", "POST"), 405, "use POST");
      return;
    }
    if (loadShedding.reviews().isFull()) {
      shedReview(request);
      return;
    }
    BodyReader.read(
        request,
        MAX_BODY_BYTES,
        loadShedding.budget().open(Connection.of(request).peer()),
        new BodyReader.Receiver() {
          @Override
          public void read(byte[] body, Charge charge) {
            decide(request, target, body, charge);
          }

          @Override
          public void shed(BodyReader.Rest rest) {
            Future<Void> refused = WebhookRouting.shed(request, ShedCause.BYTES);
            if (rest == BodyReader.Rest.ENDLESS) {
              refused.onComplete(_ -> request.connection().close());
            }
          }
        });
  }

  /** Refuses so that {@code failurePolicy: Ignore} admits the object, see {@link LoadShedding}. */
  private static Future<Void> shed(HttpServerRequest request, ShedCause cause) {
    Connection.of(request).shed(cause);
    return refuse(request, 503, "overloaded");
  }

  /** A surplus connection is closed too: its next review would be refused at the same cost. */
  private static void shedReview(HttpServerRequest request) {
    boolean surplus = Connection.of(request).isSurplus();
    if (surplus) {
      request.response().putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
    }
    Future<Void> refused = shed(request, ShedCause.REVIEWS);
    if (surplus) {
      refused.onComplete(_ -> request.connection().close());
    }
  }

  private void decide(HttpServerRequest request, ReviewHandler target, byte[] body, Charge charge) {
    if (!loadShedding.reviews().take()) {
      charge.close();
      shedReview(request);
      return;
    }
    answering.incrementAndGet();
    CompletableFuture<byte[]> decision =
        body.length <= MAX_EVENT_LOOP_BYTES
            ? workers.begin(executor -> target.answer(body, executor))
            : workers.answer(() -> target.answer(body, Runnable::run).join());
    Future.fromCompletionStage(decision.whenComplete((_, _) -> decided(charge)))
        .compose(answer -> answer(request.response(), answer))
        .recover(failure -> failed(request, failure))
        .onComplete(_ -> answering.decrementAndGet());
  }

  private void decided(Charge charge) {
    loadShedding.reviews().release(); // a caller that does not read its answer holds none
    charge.close();
  }

  private static Future<Void> answer(HttpServerResponse response, byte[] answer) {
    return response.putHeader(HttpHeaders.CONTENT_TYPE, JSON).end(Buffer.buffer(answer));
  }

  private static Future<Void> failed(HttpServerRequest request, Throwable failure) {
    if (request.response().ended()) {
      return Future.failedFuture(failure); // the caller went away before its answer
    }
    String id = UUID.randomUUID().toString();
    LOG.errorf(failure, "webhook failed, error %s", id);
    return refuse(request, 500, "internal error " + id);
  }

  /** Waits until the reviews in flight are answered, at most for a time. */
  void drain(Duration patience) throws InterruptedException {
    Instant end = Instant.now().plus(patience);
    while (answering.get() > 0 && Instant.now().isBefore(end)) {
      Thread.sleep(DRAIN_STEP);
    }
  }

  private static Future<Void> refuse(HttpServerRequest request, int status, String why) {
    return refuse(request.response(), status, why);
  }

  private static Future<Void> refuse(HttpServerResponse response, int status, String why) {
    return response
        .setStatusCode(status)
        .putHeader(HttpHeaders.CONTENT_TYPE, "text/plain")
        .end(why + "\n");
  }
}
