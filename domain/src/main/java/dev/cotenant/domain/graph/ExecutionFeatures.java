package dev.cotenant.domain.graph;

import dev.cotenant.domain.quantity.MemorySize;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/**
 * How one forward pass of a model over the whole batch runs on a device, as far as its graph shows:
 * what kind of work, in how many kernels, moving how many bytes.
 *
 * <p>Kernels are counted after the fusions that are usual in inference compilers: convolution or
 * matrix product + normalisation + residual sum + activation, chains of pointwise operators, and
 * layers that are exported as several nodes. Memory traffic of activations and kernel count are
 * what later work found to matter beside [UtilPred, Table 2]; see NeuSight (ASPLOS 2025) and NNLQP
 * (ICPP 2022).
 *
 * @param work multiply-accumulates by class, without empty classes
 * @param activationsRead bytes of inputs and computed tensors that kernels read
 * @param activationsWritten bytes of computed tensors that kernels write
 * @param weightsRead bytes of stored tensors that kernels read; one that is used twice counts twice
 * @param kernels kernels launched
 * @param depth kernels on the longest path of dependencies
 * @param width the most kernels that could run side by side
 */
public record ExecutionFeatures(
    Map<WorkClass, Long> work,
    MemorySize activationsRead,
    MemorySize activationsWritten,
    MemorySize weightsRead,
    long kernels,
    long depth,
    long width) {
  public ExecutionFeatures {
    Map<WorkClass, Long> sorted = new EnumMap<>(WorkClass.class);
    sorted.putAll(work);
    sorted.values().removeIf(macs -> macs == 0);
    work = Collections.unmodifiableMap(sorted);
    for (long count : new long[] {kernels, depth, width}) {
      if (count < 0) {
        throw new IllegalArgumentException("kernel counts must be at least 0, one is " + count);
      }
    }
  }

  /** Multiply-accumulates of a class. */
  public long work(WorkClass kind) {
    return work.getOrDefault(kind, 0L);
  }

  /** Share of a class in all multiply-accumulates, 0 to 1; 0 when there are none. */
  public double share(WorkClass kind) {
    double all = work.values().stream().mapToDouble(Long::doubleValue).sum();
    return all == 0 ? 0 : work(kind) / all;
  }

  /** Bytes that kernels read and write. */
  public double trafficBytes() {
    return (double) activationsRead.bytes() + activationsWritten.bytes() + weightsRead.bytes();
  }

  /** Floating-point operations (2 × MACs) a byte of traffic; 0 when nothing is moved. */
  public double arithmeticIntensity() {
    double macs = work.values().stream().mapToDouble(Long::doubleValue).sum();
    return trafficBytes() == 0 ? 0 : 2 * macs / trafficBytes();
  }
}
