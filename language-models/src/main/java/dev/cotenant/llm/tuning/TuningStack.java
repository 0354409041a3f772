package dev.cotenant.llm.tuning;

/** The libraries that train, each with coefficients of its own. */
public enum TuningStack {
  /** transformers with PEFT, adapters in fp32, no checkpointing; reserved memory. */
  PEFT(0.1, 0.9, 0.84, 1.2, 0.5),
  /** LitGPT in bf16; allocated memory. */
  LITGPT(0.01, 1, 8, 1.5, 2.5, 1.5),
  /** transformers with activation checkpointing, under DeepSpeed where there are several GPUs. */
  CHECKPOINTED(0.1, 1, 1, 10, 1 << 30, 1, 0, 0);

  private final double pull;

  @SuppressWarnings("ImmutableEnumChecker") // never handed out
  private final double[] typical;

  TuningStack(double pull, double... typical) {
    this.pull = pull;
    this.typical = typical;
  }

  /** Strength of the pull to typical coefficients. */
  double pull() {
    return pull;
  }

  /** Coefficients before any run: what the tensors' types suggest. */
  double[] typical() {
    return typical.clone();
  }
}
