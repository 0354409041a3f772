package dev.cotenant.features.execution;

import dev.cotenant.features.inference.Amount;
import dev.cotenant.features.inference.Operator.Kernel;
import org.jspecify.annotations.Nullable;

/** One node that runs on the device. Buffers go by number; the arrays are not to be changed. */
final class Step {
  private final Kernel kernel;
  private final int layer;
  private final Reading reading;
  private final Amount launches;
  private final Amount constantsRead;
  private final @Nullable Body body;
  private final int[] reads;
  private final int[] writes;

  /** How much of a buffer a step reads. */
  enum Reading {
    WHOLE,
    /** No more than it writes, like a slice or an embedding. */
    CHOSEN
  }

  /** Totals of a subgraph and its own peak. */
  record Body(KernelTotals totals, PeakBytes peak) {}

  Step(DataFlow.Use use, int[] reads, int[] writes) {
    kernel = use.kernel;
    layer = use.layer;
    reading = use.reading;
    launches = use.launches;
    constantsRead = use.constants;
    body = use.body;
    this.reads = reads;
    this.writes = writes;
  }

  Kernel kernel() {
    return kernel;
  }

  /** The same number for all nodes of a layer; a number of its own for every other step. */
  int layer() {
    return layer;
  }

  Reading reading() {
    return reading;
  }

  /** Kernels that it launches, where it has its own. */
  Amount launches() {
    return launches;
  }

  /** Bytes of stored tensors that it reads. */
  Amount constantsRead() {
    return constantsRead;
  }

  /** What a branch, loop or function adds up to; such a step has no kernel of its own. */
  @Nullable Body body() {
    return body;
  }

  /** Distinct buffers that it reads. */
  int[] reads() {
    return reads;
  }

  /** Buffers that it writes first. */
  int[] writes() {
    return writes;
  }
}
