package dev.cotenant.llm.tuning;

/** Types in which a job keeps weights and computes. */
public enum TuningPrecision {
  /** 16 bits throughout; what PEFT's and LitGPT's runs measured. */
  HALF,
  /** Trained weights in fp32, arithmetic on copies in 16 bits [Micikevicius et al., 2018]. */
  MIXED,
  /** fp32 throughout. */
  SINGLE;

  /**
   * Bytes of a value of the base model as it lies in memory during a step.
   *
   * @param full whether every parameter is trained: their copies in fp32 then count as states
   */
  public int valueBytes(boolean full) {
    return this == HALF || (this == MIXED && full) ? 2 : 4;
  }
}
