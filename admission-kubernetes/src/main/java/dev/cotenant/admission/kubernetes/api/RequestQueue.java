package dev.cotenant.admission.kubernetes.api;

import dev.cotenant.admission.supervision.Supervisor;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends a few requests at a time, the rest in order; callers never block. A throttled one [HTTP
 * 429] is retried a few times, after the server's pause.
 */
public final class RequestQueue {
  private static final int ATTEMPTS = 4;
  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final Duration MAX_PAUSE = Duration.ofSeconds(10);

  private final ApiServer server;
  private final Supervisor supervisor;
  private final Limits limits;
  private final BooleanSupplier allowed;
  private final Queue<Request> waiting = new ArrayDeque<>();

  /** Whether this thread sends what waits already, so that results in between add no frames. */
  private final ThreadLocal<Boolean> sending = ThreadLocal.withInitial(() -> false);

  private int underWay;

  /**
   * The bounds of the queue.
   *
   * @param underWay requests at a time
   * @param waiting queued requests
   */
  public record Limits(int underWay, int waiting) {}

  /** The result of a request. */
  public sealed interface Result {
    record Answered(ApiResponse answer) implements Result {}

    record Unanswered(String why) implements Result {}

    record NotSent(String why) implements Result {}
  }

  private record Request(ApiCall call, Consumer<Result> done, int attempt) {}

  /**
   * @param allowed whether a request may be sent now; checked just before
   */
  public RequestQueue(LoopContext cluster, Limits limits, BooleanSupplier allowed) {
    this.server = cluster.server();
    this.supervisor = cluster.supervisor();
    this.limits = limits;
    this.allowed = allowed;
  }

  /** Queues a request; {@code done} receives one result. */
  public void send(ApiCall call, Consumer<Result> done) {
    boolean accepted;
    synchronized (waiting) {
      accepted = waiting.size() < limits.waiting();
      if (accepted) {
        waiting.add(new Request(call, done, 1));
      }
    }
    if (accepted) {
      next();
    } else {
      done.accept(new Result.NotSent("too many requests wait for the API server"));
    }
  }

  private void next() {
    if (sending.get()) {
      return;
    }
    @Nullable Request request = take();
    while (request != null) {
      sending.set(true);
      try {
        sendNow(request);
      } finally {
        sending.remove();
      }
      request = take();
    }
  }

  private @Nullable Request take() {
    synchronized (waiting) {
      if (underWay >= limits.underWay()) {
        return null;
      }
      Request request = waiting.poll();
      underWay += request == null ? 0 : 1;
      return request;
    }
  }

  private void sendNow(Request request) {
    answer(request.call())
        .ifPresentOrElse(
            answer -> {
              var _ = answer.whenComplete((given, failure) -> received(request, given, failure));
            },
            () -> finish(request, new Result.NotSent("this process no longer leads")));
  }

  private void received(Request request, ApiResponse answer, @Nullable Throwable failure) {
    if (failure != null) {
      supervisor.check(failure);
      finish(request, new Result.Unanswered(ApiServer.describe(failure)));
    } else if (isThrottled(answer) && request.attempt() < ATTEMPTS) {
      later(request, answer.retryAfter());
    } else {
      finish(request, new Result.Answered(answer));
    }
  }

  /** A PodDisruptionBudget is an answer, which the caller acts on. */
  private static boolean isThrottled(ApiResponse answer) {
    return answer.code() == ApiResponse.TOO_MANY && !answer.isBlockedByBudget();
  }

  /**
   * Empty where it may not be sent. Fails also where it cannot be, by an Error too: a request
   * without a result counts as in flight for ever.
   */
  private Optional<CompletableFuture<ApiResponse>> answer(ApiCall call) {
    try {
      return allowed.getAsBoolean() ? Optional.of(server.send(call)) : Optional.empty();
    } catch (RuntimeException | Error e) {
      return Optional.of(CompletableFuture.failedFuture(e));
    }
  }

  /** Retries after a pause, during which the request counts as in flight, to relieve the server. */
  private void later(Request request, @Nullable Duration wanted) {
    Duration pause = wanted == null ? PAUSE.multipliedBy(request.attempt()) : wanted;
    Duration bounded = pause.compareTo(MAX_PAUSE) < 0 ? pause : MAX_PAUSE;
    Executor delayed = CompletableFuture.delayedExecutor(bounded.toMillis(), TimeUnit.MILLISECONDS);
    delayed.execute(
        () -> sendNow(new Request(request.call(), request.done(), request.attempt() + 1)));
  }

  private void finish(Request request, Result result) {
    synchronized (waiting) {
      underWay--;
    }
    try {
      request.done().accept(result);
    } finally {
      next();
    }
  }
}
