package dev.cotenant.domain.workload;

import dev.cotenant.domain.InputException;
import org.jspecify.annotations.Nullable;

/**
 * A registered model with the batch and settings it will run with.
 *
 * @param model the registered name, or {@code sha256:} and 64 hexadecimal digits; of a language
 *     model also what its engine calls it
 * @param batchSize samples per step, at least 1
 * @param settings mode and precision
 * @param engine how a container runs it as a language model; null where nothing says so
 */
public record Workload(
    String model, int batchSize, RunSettings settings, @Nullable EngineRun engine) {
  public Workload {
    if (batchSize < 1) {
      throw InputException.invalidArgument(
          "batch-out-of-range", "The batch size must be at least 1, is " + batchSize + ".");
    }
  }

  /** Whether the model may be a graph: what a container alone names is a language model. */
  public boolean mayBeGraph() {
    EngineRun run = engine;
    return run == null || run.isNamed();
  }

  /** Of a graph. */
  public Workload(String model, int batchSize, RunSettings settings) {
    this(model, batchSize, settings, null);
  }
}
