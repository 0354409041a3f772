package dev.cotenant.predictor.hybrid;

import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Framework;
import dev.cotenant.predictor.hybrid.prior.MemoryPrior;
import dev.cotenant.predictor.hybrid.prior.Prior;
import dev.cotenant.predictor.hybrid.prior.Run;
import dev.cotenant.predictor.hybrid.prior.UtilizationPrior;
import dev.cotenant.predictor.model.ResidualQuantiles;
import java.util.function.DoubleUnaryOperator;

/**
 * Memory that the pool of a framework reserves for what a run needs. PyTorch's caching allocator
 * reserves what it needs, in blocks of 2 to 20 MiB. The pools of TensorFlow (with memory growth)
 * and of ONNX Runtime grow by regions of doubling size and return none.
 */
final class BfcArena {
  // Regions of 2, 4, 8, … MiB: 2^(k+1) − 2 MiB after k of them [TensorFlow,
  // common_runtime/bfc_allocator.cc, BFCAllocator::Extend; ONNX Runtime, core/framework/
  // bfc_arena.cc, kNextPowerOfTwo]. TensorFlow's autotuner tries convolution algorithms with up to
  // 4 GiB of scratch memory [TF_CUDNN_WORKSPACE_LIMIT_IN_MB, stream_executor/cuda/cuda_dnn.cc],
  // which dense convolutions larger than 1×1 use.
  private static final double FIRST_REGION = 2;
  private static final double AUTOTUNING_SCRATCH = 4096;

  private final MemoryPrior prior;
  private final Run run;

  private BfcArena(MemoryPrior prior, Run run) {
    this.prior = prior;
    this.run = run;
  }

  /** An estimate as the framework of a run reserves it; unchanged of other targets. */
  static HybridModel.Estimate reserved(Prior prior, Run run, HybridModel.Estimate needed) {
    return switch (prior) {
      case MemoryPrior memory
          when run.settings().framework() == Framework.TENSORFLOW
              || run.settings().framework() == Framework.ONNX_RUNTIME ->
          new BfcArena(memory, run).reserved(needed);
      case MemoryPrior _, UtilizationPrior _ -> needed;
    };
  }

  private HybridModel.Estimate reserved(HybridModel.Estimate needed) {
    double mean = log(needed.mean(), needed, need -> pool(Math.max(scratch(), need)));
    double lower = Math.min(mean, log(needed.lower(), needed, BfcArena::pool));
    double upper =
        Math.max(
            mean, log(needed.upper(), needed, need -> fragmented(pool(Math.max(scratch(), need)))));
    HybridBounds.Offsets offsets =
        needed.bounds().with(new ResidualQuantiles(lower - mean, upper - mean));
    return new HybridModel.Estimate(mean, offsets, needed.familiarity());
  }

  /** The process baseline is as far off as the whole. */
  private double log(double log, HybridModel.Estimate needed, DoubleUnaryOperator reserved) {
    double whole = Math.exp(log);
    double baseline = Math.min(whole, prior.host(run) * Math.exp(log - needed.mean()));
    double pool = reserved.applyAsDouble(whole - baseline);
    double memory = run.device().memory().toMiB();
    return Math.log(Math.max(whole, Math.min(memory, baseline + pool)));
  }

  private double scratch() {
    boolean autotunes =
        run.settings().framework() == Framework.TENSORFLOW
            && run.settings().mode() == ExecutionMode.TRAINING
            && run.model().backward().convolution().bytes() > 0;
    return autotunes ? AUTOTUNING_SCRATCH : 0;
  }

  /** MiB of a pool and of the region that it would grow by. */
  private static double fragmented(double pool) {
    return 2 * pool + FIRST_REGION;
  }

  /** MiB that regions hold once their sum is at least {@code mebibytes}. */
  static double pool(double mebibytes) {
    double pool = 0;
    double region = FIRST_REGION;
    while (pool < mebibytes) {
      pool += region;
      region *= 2;
    }
    return pool;
  }
}
