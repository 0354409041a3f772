package dev.cotenant.features.execution;

import dev.cotenant.features.inference.Amount;
import dev.cotenant.features.inference.Operator.Kernel;
import org.jspecify.annotations.Nullable;

/**
 * One node that runs on the device. Buffers go by number; the arrays are not to be changed.
 *
 * @param kernel how it runs
 * @param layer number shared by all nodes of a layer, unique for every other step
 * @param reading how much of each buffer it reads
 * @param launches kernels that it launches, where it has its own
 * @param constantsRead bytes of stored tensors that it reads
 * @param body totals of a branch, loop or function; such a step has no kernel of its own
 * @param reads distinct buffers that it reads
 * @param writes buffers that it writes first
 */
@SuppressWarnings("ArrayRecordComponent") // one step a node, read only in this package
record Step(
    Kernel kernel,
    int layer,
    Reading reading,
    Amount launches,
    Amount constantsRead,
    @Nullable Body body,
    int[] reads,
    int[] writes) {

  /** Bytes that the step reads of a buffer, given the size of both. */
  Amount read(Amount whole, Amount written) {
    boolean chooses = reading == Reading.CHOSEN && written.atDeclared() < whole.atDeclared();
    return chooses ? written : whole;
  }

  /** How much of a buffer a step reads. */
  enum Reading {
    WHOLE,
    /** No more than it writes, like a slice or an embedding. */
    CHOSEN
  }

  /** Totals of a subgraph and its own peak. */
  record Body(KernelTotals totals, PeakBytes peak) {}
}
