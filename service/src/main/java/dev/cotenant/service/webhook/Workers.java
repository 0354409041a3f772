package dev.cotenant.service.webhook;

import dev.cotenant.admission.supervision.Supervisor;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Answers requests. A future keeps what Java throws instead of an answer, so that no handler of
 * uncaught exceptions sees an error of the runtime.
 *
 * @param executor of threads that may wait; not an event loop
 * @param supervisor ends the process on such errors
 */
record Workers(Executor executor, Supervisor supervisor) {
  <T> CompletableFuture<T> answer(Supplier<T> work) {
    return checked(CompletableFuture.supplyAsync(work, executor));
  }

  /** Begins on the caller's thread; the work gives this executor what takes long. */
  <T> CompletableFuture<T> begin(Function<Executor, CompletableFuture<T>> work) {
    return checked(CompletableFuture.completedFuture(executor).thenCompose(work));
  }

  private <T> CompletableFuture<T> checked(CompletableFuture<T> answer) {
    return answer.whenComplete((_, failure) -> {
      if (failure != null) {
        supervisor.check(failure);
      }
    });
  }
}
