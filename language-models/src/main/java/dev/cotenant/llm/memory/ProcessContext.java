package dev.cotenant.llm.memory;

/** What a process of CUDA holds on a GPU beside the tensors of PyTorch. */
public final class ProcessContext {
  /** Context and libraries of a job that is no server, in bytes: a typical value. */
  public static final double BYTES = 0.5 * (1L << 30);

  private ProcessContext() {}
}
