package dev.cotenant.features.execution;

import dev.cotenant.features.execution.Step.Body;
import dev.cotenant.features.inference.Amount;
import dev.cotenant.features.inference.Operator.Kernel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Puts the steps of a graph into kernels, as inference compilers do.
 *
 * <p>The usual fusions: a pointwise step joins the kernel that computes one of its inputs when no
 * other step reads that input and the kernel is a matrix product, a convolution or pointwise itself
 * (convolution + normalisation + residual sum + activation); the deeper kernel where two would do,
 * the later one of equals. Nothing joins a kernel with several results, which could wait for itself
 * then. A layer that is exported as several nodes, such as GELU or layer normalisation, is one
 * kernel. Everything else is a kernel of its own. What a kernel computes and alone reads is never
 * written. Linear in steps and the buffers that they read.
 */
final class KernelFusion {
  private static final int NONE = -1;

  private final DataFlow flow;
  private final List<Step> steps;
  private final int[] readers;
  private final int[] producers;
  private final int[] kernelOf;
  private final List<Fused> kernels = new ArrayList<>();

  /** A kernel, or the kernels of a subgraph. Not thread safe. */
  private static final class Fused {
    private final Kernel kind;
    private Amount launches = Amount.ZERO;
    private Amount depth = Amount.ZERO;
    private int level;
    private boolean hasOneResult = true;

    Fused(Kernel kind) {
      this.kind = kind;
    }

    boolean isOpen() {
      return hasOneResult && (kind == Kernel.OPEN || kind == Kernel.POINTWISE);
    }
  }

  KernelFusion(DataFlow flow) {
    this.flow = flow;
    steps = flow.steps();
    readers = new int[flow.buffers()];
    producers = new int[flow.buffers()];
    kernelOf = new int[steps.size()];
    Arrays.fill(producers, NONE);
    countReaders();
    assign();
  }

  /** The steps of one layer are one reader; being an output counts as one more. */
  private void countReaders() {
    int[] last = new int[flow.buffers()];
    Arrays.fill(last, NONE);
    for (Step step : steps) {
      for (int buffer : step.reads()) {
        readers[buffer] += last[buffer] == step.layer() ? 0 : 1;
        last[buffer] = step.layer();
      }
    }
    for (int buffer = 0; buffer < readers.length; buffer++) {
      readers[buffer] += flow.isOutput(buffer) ? 1 : 0;
    }
  }

  private void assign() {
    int[] kernelOfLayer = new int[layers()];
    Arrays.fill(kernelOfLayer, NONE);
    for (int i = 0; i < steps.size(); i++) {
      Step step = steps.get(i);
      int kernel = kernelOfLayer[step.layer()];
      if (kernel == NONE) {
        kernel = step.kernel() == Kernel.POINTWISE ? joined(step) : NONE;
      }
      if (kernel == NONE) {
        kernel = kernels.size();
        kernels.add(new Fused(step.kernel()));
      }
      kernelOfLayer[step.layer()] = kernel;
      kernelOf[i] = kernel;
      run(step, kernels.get(kernel), kernel);
      for (int buffer : step.writes()) {
        producers[buffer] = kernel;
      }
    }
  }

  private int layers() {
    int most = NONE;
    for (Step step : steps) {
      most = Math.max(most, step.layer());
    }
    return most + 1;
  }

  private int joined(Step step) {
    int best = NONE;
    for (int buffer : step.reads()) {
      int producer = producers[buffer];
      boolean fits = producer != NONE && readers[buffer] == 1 && kernels.get(producer).isOpen();
      if (fits && (best == NONE || isBehind(producer, best))) {
        best = producer;
      }
    }
    return best;
  }

  private boolean isBehind(int kernel, int other) {
    int levels = Integer.compare(kernels.get(kernel).level, kernels.get(other).level);
    return levels != 0 ? levels > 0 : kernel > other;
  }

  private void run(Step step, Fused kernel, int number) {
    Body body = step.body();
    Amount launches = body == null ? step.launches() : body.totals().kernels();
    Amount own = body == null ? step.launches() : body.totals().depth();
    kernel.launches = kernel.launches.isZero() ? launches : kernel.launches;
    Amount before = Amount.ZERO;
    int level = 0;
    for (int buffer : step.reads()) {
      int producer = producers[buffer];
      if (producer != NONE && producer != number) {
        Fused other = kernels.get(producer);
        before = other.depth.atDeclared() > before.atDeclared() ? other.depth : before;
        level = Math.max(level, other.level + 1);
      }
    }
    Amount depth = before.plus(own);
    kernel.depth = depth.atDeclared() > kernel.depth.atDeclared() ? depth : kernel.depth;
    kernel.level = Math.max(kernel.level, level);
    kernel.hasOneResult &= step.writes().length == 1;
  }

  KernelTotals totals() {
    Amount launches = Amount.ZERO;
    Amount depth = Amount.ZERO;
    for (Fused kernel : kernels) {
      launches = launches.plus(kernel.launches);
      depth = kernel.depth.atDeclared() > depth.atDeclared() ? kernel.depth : depth;
    }
    Amount constants = Amount.ZERO;
    Amount inside = Amount.ZERO;
    Amount insideWritten = Amount.ZERO;
    for (Step step : steps) {
      constants = constants.plus(step.constantsRead());
      if (step.body() != null) {
        KernelTotals body = step.body().totals();
        constants = constants.plus(body.constantsRead());
        inside = inside.plus(body.activationsRead());
        insideWritten = insideWritten.plus(body.activationsWritten());
      }
    }
    EagerTraffic eager = new EagerTraffic(flow);
    return new KernelTotals(
        launches,
        depth,
        width(),
        read().plus(inside),
        written().plus(insideWritten),
        constants,
        eager.operators(),
        eager.timeSteps(),
        eager.moved());
  }

  private int width() {
    // A layer whose nodes lie apart can raise a level more than once, but each step only by one.
    int[] atLevel = new int[steps.size() + 1];
    int widest = 0;
    for (Fused kernel : kernels) {
      if (!kernel.launches.isZero()) {
        widest = Math.max(widest, ++atLevel[kernel.level]);
      }
    }
    for (Step step : steps) {
      widest = step.body() == null ? widest : Math.max(widest, step.body().totals().width());
    }
    return widest;
  }

  /**
   * Each kernel reads a buffer once, however many of its steps do; subgraphs read for themselves.
   */
  private Amount read() {
    int[] last = new int[flow.buffers()];
    Arrays.fill(last, NONE);
    Amount total = Amount.ZERO;
    for (int i : byKernel()) {
      Step step = steps.get(i);
      for (int buffer : step.reads()) {
        boolean repeated = last[buffer] == kernelOf[i] || producers[buffer] == kernelOf[i];
        last[buffer] = kernelOf[i];
        if (!repeated && step.body() == null) {
          total = total.plus(readBy(step, buffer));
        }
      }
    }
    return total;
  }

  /** Steps, those of a kernel together: a counting sort. */
  private int[] byKernel() {
    int[] ends = new int[kernels.size() + 1];
    for (int kernel : kernelOf) {
      ends[kernel + 1]++;
    }
    for (int kernel = 0; kernel < kernels.size(); kernel++) {
      ends[kernel + 1] += ends[kernel];
    }
    int[] sorted = new int[kernelOf.length];
    for (int i = 0; i < kernelOf.length; i++) {
      sorted[ends[kernelOf[i]]++] = i;
    }
    return sorted;
  }

  private Amount readBy(Step step, int buffer) {
    Amount chosen = Amount.ZERO;
    for (int written : step.writes()) {
      chosen = chosen.plus(flow.bytes(written));
    }
    return step.read(flow.bytes(buffer), chosen);
  }

  /** What another kernel reads, what the graph gives, and what has no reader. */
  private Amount written() {
    boolean[] stays = new boolean[flow.buffers()];
    for (int i = 0; i < steps.size(); i++) {
      for (int buffer : steps.get(i).reads()) {
        stays[buffer] |= producers[buffer] != kernelOf[i];
      }
    }
    Amount total = Amount.ZERO;
    for (Step step : steps) {
      for (int buffer : step.writes()) {
        boolean leaves = stays[buffer] || flow.isOutput(buffer) || readers[buffer] == 0;
        if (leaves && step.body() == null) {
          total = total.plus(flow.bytes(buffer));
        }
      }
    }
    return total;
  }
}
