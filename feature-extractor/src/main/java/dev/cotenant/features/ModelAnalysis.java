package dev.cotenant.features;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.graph.BackwardMemory;
import dev.cotenant.domain.graph.EagerExecution;
import dev.cotenant.domain.graph.ExecutionFeatures;
import dev.cotenant.domain.graph.GraphFeatures;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.graph.WorkClass;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.features.execution.KernelTotals;
import dev.cotenant.features.execution.PeakBytes;
import dev.cotenant.features.inference.Amount;
import dev.cotenant.features.inference.BatchScale;
import dev.cotenant.features.inference.Saturating;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The features of a model as functions of its batch: one walk over the graph answers for every
 * batch size. Immutable and thread safe.
 */
public final class ModelAnalysis {
  private final Tally tally;
  private final WeightLedger weights;
  private final Amount inputBytes;
  private final long declaredBatch;
  private final boolean hasBatch;
  private final List<String> warnings;

  ModelAnalysis(Extraction extraction, Tally tally) {
    this.tally = tally;
    weights = extraction.weights();
    inputBytes = extraction.inputs().bytes();
    declaredBatch = extraction.inputs().declaredBatch();
    hasBatch = extraction.inputs().hasBatch();
    warnings = extraction.warnings().lines();
  }

  /** The features at the declared batch; a symbolic one is 1. */
  public GraphFeatures atDeclaredBatch() {
    return at(declaredBatch);
  }

  /**
   * The features at a batch.
   *
   * @param batch samples, at least 1; null for the declared batch
   * @throws InputException {@code batch-out-of-range}
   */
  public GraphFeatures at(@Nullable Integer batch) {
    return batch == null ? atDeclaredBatch() : at(GraphBinding.requireBatch(batch));
  }

  private GraphFeatures at(long batch) {
    boolean repeats = batch != declaredBatch && !hasBatch;
    Evaluation at = new Evaluation(new BatchScale(declaredBatch, batch), repeats);
    List<String> lines = new ArrayList<>(warnings);
    if (repeats) {
      lines.add("no input has a batch axis; figures are " + batch + " times those of one run");
    }
    Map<WorkClass, Long> work = new EnumMap<>(WorkClass.class);
    tally.work().forEach((kind, amount) -> work.put(kind, at.count(amount)));
    ModelFeatures model =
        new ModelFeatures(
            tally.layers(),
            tally.normalizations(),
            weights.parameters(),
            MemorySize.ofBytes(weights.bytes()),
            work.values().stream().mapToLong(Long::longValue).reduce(0, Saturating::add),
            at.bytes(tally.activationBytes()),
            at.bytes(inputBytes),
            (int) Math.min(batch, Integer.MAX_VALUE),
            new BackwardMemory(at.bytes(tally.savedBytes()), at.bytes(tally.convolution())),
            eager(at),
            at.bytes(tally.peak()));
    return new GraphFeatures(
        model,
        execution(work, at),
        weights.byType(),
        at.bytes(tally.peak()),
        tally.operators(),
        tally.coverage(),
        lines);
  }

  private EagerExecution eager(Evaluation at) {
    KernelTotals kernels = tally.kernels();
    return new EagerExecution(
        kernels.operators().atDeclared(),
        kernels.timeSteps().atDeclared(),
        at.bytes(kernels.moved()),
        at.count(tally.matrixOutputs()),
        at.count(tally.winogradWork()));
  }

  private ExecutionFeatures execution(Map<WorkClass, Long> work, Evaluation at) {
    KernelTotals kernels = tally.kernels();
    return new ExecutionFeatures(
        work,
        at.bytes(kernels.activationsRead()),
        at.bytes(kernels.activationsWritten()),
        at.bytes(kernels.constantsRead()),
        at.count(kernels.kernels()),
        at.count(kernels.depth()),
        kernels.width());
  }

  /**
   * Amounts at a batch.
   *
   * @param repeats whether the model has no batch axis, so that a larger batch is as many runs
   */
  private record Evaluation(BatchScale scale, boolean repeats) {
    long count(Amount amount) {
      return repeats ? scale.apply(amount.atDeclared()) : amount.at(scale);
    }

    MemorySize bytes(Amount amount) {
      return MemorySize.ofBytes(count(amount));
    }

    MemorySize bytes(PeakBytes peak) {
      return MemorySize.ofBytes(repeats ? scale.apply(peak.atDeclared()) : peak.at(scale));
    }
  }
}
