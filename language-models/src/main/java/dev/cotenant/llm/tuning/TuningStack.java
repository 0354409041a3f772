package dev.cotenant.llm.tuning;

import dev.cotenant.llm.memory.ProcessContext;
import dev.cotenant.llm.model.LanguageModel;
import java.util.ArrayList;
import java.util.List;

/** The libraries that train, each with coefficients of its own. */
public enum TuningStack {
  /** transformers with PEFT, adapters in fp32, no checkpointing; reserved memory. */
  PEFT(0.1, 0.9, 0.84, 1.2, 0.5),
  /** LitGPT in bf16; allocated memory. */
  LITGPT(0.01, 1, 8, 1.5, 2.5, 1.5),
  /** transformers with activation checkpointing, under DeepSpeed where there are several GPUs. */
  CHECKPOINTED(0.1, 1, 1, 10, 1 << 30, 1, 0, 0);

  private final double ridge;

  @SuppressWarnings("ImmutableEnumChecker") // never handed out
  private final double[] typical;

  TuningStack(double ridge, double... typical) {
    this.ridge = ridge;
    this.typical = typical;
  }

  /** Context of the process where the measured figure is PyTorch's alone. */
  public double contextBytes() {
    return this == CHECKPOINTED ? 0 : ProcessContext.BYTES; // its constant holds the context
  }

  /** What of a job no run measured, each a few words; empty where the bound rests on runs. */
  public List<String> unmeasured(LanguageModel model, TuningSettings job) {
    List<String> outside = new ArrayList<>();
    String weights = model.quantization().method();
    boolean quantized = !model.quantization().isNone();
    boolean several = job.gpus() > 1;
    switch (this) {
      case PEFT -> {
        if (several || job.zeroStage() > 0) {
          outside.add("several GPUs with PEFT");
        }
        if (quantized) {
          outside.add(weights + " weights with PEFT");
        }
      }
      case LITGPT -> {
        if (job.gpus() > 4) {
          outside.add(job.gpus() + " GPUs with LitGPT");
        }
      }
      case CHECKPOINTED -> {
        if (several && job.zeroStage() < 2) {
          outside.add(job.gpus() + " GPUs with ZeRO's stage " + job.zeroStage());
        }
        if (job.gpus() > 4) {
          outside.add(job.gpus() + " GPUs");
        }
        if (quantized && !weights.startsWith("gptq")) {
          outside.add(weights + " weights with activation checkpointing");
        }
      }
    }
    boolean asMeasured =
        job.precision() == TuningPrecision.HALF
            || (job.precision() == TuningPrecision.MIXED
                && this == CHECKPOINTED
                && job.method().isFull());
    if (!asMeasured) {
      outside.add("weights in fp32");
    }
    if (job.states().optimizer() != TuningOptimizer.ADAM) {
      outside.add("other optimizers than Adam");
    }
    if (job.states().offloadsMoments() || job.states().offloadsWeights()) {
      outside.add("states in the host's memory");
    }
    return outside;
  }

  /** Strength of the ridge penalty towards typical coefficients. */
  double ridge() {
    return ridge;
  }

  /** Coefficients before any run: what the tensors' types suggest. */
  double[] typical() {
    return typical.clone();
  }
}
