package dev.cotenant.predictor.hybrid.prior;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.predictor.model.MemoryParts;

/**
 * Peak device memory of a run: what the process needs anyway, weights with the moments of the
 * optimizer, and on top of these the larger of what the backward pass waits for and of what the
 * optimizer's step needs, for which the allocator reuses the memory of the former. Inference has
 * weights and the tensors alive at its largest step. {@link MemoryAmounts} has the amounts by
 * settings.
 *
 * <p>A context reserves local memory for every thread that the device may hold at once, which grows
 * with its multiprocessors. Networks with convolutions load a library of kernels. All three are the
 * host's: its driver, its framework, and whether kernels are loaded when they are first used. Saved
 * activations are counted by operator ({@code BackwardMemory}) and agree with what PyTorch's
 * FakeTensor finds alive after the forward pass. Convolutions larger than 1×1 need workspaces and
 * gradients in sizes of the largest one's input and output.
 *
 * @param contextMebibytes driver context and libraries
 * @param multiprocessorMebibytes what the context reserves for each multiprocessor
 * @param convolutionMebibytes what convolutions need however small they are
 * @param stateCopies weights and moments, in sizes of the weights
 * @param updateCopies gradients and temporaries of the optimizer's step, in sizes of the weights
 * @param keptCopies tensors that wait for the backward pass, in sizes of these
 * @param workspaceCopies gradients and workspaces at the largest convolution, in sizes of its input
 *     and output
 */
public record MemoryPrior(
    double contextMebibytes,
    double multiprocessorMebibytes,
    double convolutionMebibytes,
    double stateCopies,
    double updateCopies,
    double keptCopies,
    double workspaceCopies)
    implements Prior {
  /**
   * Adam keeps weights and two moments; its step needs gradients and temporaries. A context without
   * lazily loaded kernels is 1.0 GiB on an RTX 2080 Ti (68 multiprocessors) and 1.4 on an A100
   * (108). Blocks of the allocator are a few percent larger than what lies in them. A Winograd
   * transform of 4×4 tiles holds 2.25 times its input and output, beside two gradients.
   */
  public static final MemoryPrior TYPICAL = new MemoryPrior(100, 12.5, 400, 3, 2.25, 1.05, 3);

  /** Copies that the optimizer or the data layout fix. */
  private static final double EXACT_DEVIATION = 0.1;

  /** Temporaries of the step: one copy more or less. */
  private static final double UPDATE_DEVIATION = 0.25;

  /** Saved activations are counted; the allocator's blocks are not. */
  private static final double KEPT_DEVIATION = 0.05;

  /** Which algorithm is taken, and so whether it needs a workspace. */
  private static final double WORKSPACE_DEVIATION = 0.5;

  private static final double RESERVE_DEVIATION = 0.3;

  /** A factor of two: versions of driver and libraries differ that much. */
  private static final double LIBRARY_DEVIATION = 0.7;

  /** Contexts of hosts that load kernels when they are first used: down to less than half. */
  private static final double LAZY_LOADING = 0.7;

  /**
   * Known hosts take 0.5 to 2.0 GiB, up to twice the formula's value for measured hosts, here the
   * 90 % bound.
   */
  private static final double LARGER_LIBRARIES = 0.5;

  /**
   * A process of PyTorch 1.7 and 1.8 with CUDA 11 takes 1,488 and 1,687 MiB on an RTX 3090 (82
   * multiprocessors) before it allocates anything [github.com/pytorch/pytorch issues 49877 and
   * 55277], where {@link #TYPICAL} has 1,125.
   */
  private static final double EAGERLY_LOADED = 1.4;

  /**
   * About 300 MB where more than 1,000 were before kernels were loaded lazily
   * [github.com/pytorch/pytorch issue 107667].
   */
  private static final double LAZILY_LOADED = 0.3;

  /** Variation between models in memory beyond the graph of inference. */
  private static final double KEPT_VARIATION = 0.2;

  /** Natural logarithm of the peak in MiB. */
  @Override
  public double log(Run run) {
    return Math.log(mebibytes(run));
  }

  @Override
  public boolean isCorrected(Run run) {
    return run.trains();
  }

  /** Precision, optimizer and checkpointing scale the formula, not what it misses. */
  @Override
  public Run correctedLike(Run run) {
    return run.atDefaultSettings();
  }

  /** Training holds at least what inference of the same batch does. */
  @Override
  public double least(Run run) {
    return run.trains() ? log(run.served()) : Double.NEGATIVE_INFINITY;
  }

  private double mebibytes(Run run) {
    return host(run) + stateCopies * run.memory().states() + step(run);
  }

  public double host(Run run) {
    return loaded(run)
        * (contextMebibytes
            + multiprocessorMebibytes * run.device().streamingMultiprocessors()
            + convolutionMebibytes * convolves(run));
  }

  /** How much a framework loads, relative to measured hosts, whose versions are mixed. */
  private static double loaded(Run run) {
    return switch (run.settings().framework()) {
      case PYTORCH_1 -> EAGERLY_LOADED;
      case PYTORCH_2 -> LAZILY_LOADED;
      case PYTORCH, TENSORFLOW, ONNX_RUNTIME, TENSORRT -> 1;
    };
  }

  /** Between the maximum and the sum of both: memory is reused as far as blocks fit. */
  private double step(Run run) {
    return Math.hypot(waiting(run), updateCopies * run.memory().updates());
  }

  /**
   * The summands whose sum {@link #log} is the logarithm of. Two amounts that share memory divide
   * their hypotenuse in proportion to their squares.
   */
  public MemoryParts parts(Run run) {
    double waiting = waiting(run);
    double updates = updateCopies * run.memory().updates();
    double step = Math.max(step(run), Double.MIN_NORMAL);
    double kept = keptCopies * run.memory().tensors();
    double share = waiting == 0 ? 0 : waiting / step;
    return new MemoryParts(
        size(host(run)),
        size(stateCopies * run.memory().states()),
        size(updates * updates / step),
        size(kept * share),
        size((waiting - kept) * share));
  }

  private static MemorySize size(double mebibytes) {
    return MemorySize.ofBytes(Math.round(mebibytes * MemorySize.MIB));
  }

  private double waiting(Run run) {
    return keptCopies * run.memory().tensors() + workspaceCopies * run.memory().convolution();
  }

  private static double convolves(Run run) {
    return run.model().layers().convolution() > 0 ? 1 : 0;
  }

  @Override
  public double[] gradient(Run run) {
    double whole = mebibytes(run);
    double loaded = loaded(run);
    double step = step(run);
    double waiting = waiting(run);
    double byWaiting = step == 0 ? 0 : waiting / step / whole;
    double update = updateCopies * run.memory().updates();
    return new double[] {
      loaded * contextMebibytes / whole,
      loaded * multiprocessorMebibytes * run.device().streamingMultiprocessors() / whole,
      loaded * convolutionMebibytes * convolves(run) / whole,
      stateCopies * run.memory().states() / whole,
      step == 0 ? 0 : update * update / step / whole,
      keptCopies * run.memory().tensors() * byWaiting,
      workspaceCopies * run.memory().convolution() * byWaiting
    };
  }

  @Override
  public double[] coefficients() {
    return new double[] {
      contextMebibytes,
      multiprocessorMebibytes,
      convolutionMebibytes,
      stateCopies,
      updateCopies,
      keptCopies,
      workspaceCopies
    };
  }

  @Override
  public double[] deviations() {
    return new double[] {
      LIBRARY_DEVIATION,
      RESERVE_DEVIATION,
      LIBRARY_DEVIATION,
      EXACT_DEVIATION,
      UPDATE_DEVIATION,
      KEPT_DEVIATION,
      WORKSPACE_DEVIATION
    };
  }

  /** Contexts are the host's. */
  @Override
  public double[] variations() {
    return new double[] {
      0,
      0,
      LIBRARY_DEVIATION,
      EXACT_DEVIATION,
      UPDATE_DEVIATION,
      KEPT_VARIATION,
      WORKSPACE_DEVIATION
    };
  }

  @Override
  public StandardErrors hostUncertainty(Run run) {
    double share = host(run) / mebibytes(run);
    return new StandardErrors(LAZY_LOADING * share, LARGER_LIBRARIES * share);
  }

  @Override
  public Prior withCoefficients(double[] values) {
    return new MemoryPrior(
        values[0], values[1], values[2], values[3], values[4], values[5], values[6]);
  }
}
