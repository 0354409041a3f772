package dev.cotenant.service.webhook;

import dev.cotenant.admission.supervision.Supervisor;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
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
    return answerBy(executor, work);
  }

  /** On the caller's thread, before this returns. */
  <T> CompletableFuture<T> answerHere(Supplier<T> work) {
    return answerBy(Runnable::run, work);
  }

  private <T> CompletableFuture<T> answerBy(Executor thread, Supplier<T> work) {
    return CompletableFuture.supplyAsync(work, thread)
        .whenComplete((_, failure) -> {
          if (failure != null) {
            supervisor.check(failure);
          }
        });
  }
}
