package dev.cotenant.admission.capacity;

import dev.cotenant.admission.gate.GateController;
import dev.cotenant.admission.gate.GateLoop;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Calls of the gate controller by other threads, which wait for the result. An empty result of a
 * task means that this process does not lead; it becomes a {@link NotLeadingException}.
 */
public final class GateCalls {
  /** Much longer than a scheduling cycle; afterwards the controller counts as stopped. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final GateLoop controller;
  private final Supplier<Optional<String>> leader;

  /**
   * @param controller of this process
   * @param leader the current leader, where known
   */
  public GateCalls(GateLoop controller, Supplier<Optional<String>> leader) {
    this.controller = controller;
    this.leader = leader;
  }

  /** Runs a task that may change the ledger; a scheduling cycle follows. */
  public <T> T call(Function<GateController, Optional<T>> task) {
    return result(controller.call(task)).orElseThrow(this::notLeading);
  }

  /** Runs a task that changes nothing. */
  public <T> T query(Function<GateController, Optional<T>> task) {
    return result(controller.query(task)).orElseThrow(this::notLeading);
  }

  /** The result of a task whose outcome arrives later. */
  public <T> T await(Function<GateController, Optional<CompletableFuture<T>>> task) {
    return result(call(task));
  }

  private <T> T result(CompletableFuture<T> future) {
    try {
      return future.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException defect
          ? defect
          : new IllegalStateException(e.getCause());
    } catch (TimeoutException e) {
      throw notLeading();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw notLeading();
    }
  }

  private NotLeadingException notLeading() {
    return new NotLeadingException(leader.get().orElse(null));
  }
}
