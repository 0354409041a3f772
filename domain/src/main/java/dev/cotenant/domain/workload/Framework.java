package dev.cotenant.domain.workload;

/** The software that executes the graph. It decides on allocation, fusion and launches. */
public enum Framework {
  /** PyTorch in eager mode with its caching allocator; of an unknown version. */
  PYTORCH,
  /** PyTorch up to 1.12 with CUDA 11: each process loads all kernels of its libraries. */
  PYTORCH_1,
  /** PyTorch from 1.13 with CUDA 11.7 or later: kernels are loaded when they are first used. */
  PYTORCH_2,
  /** TensorFlow 2 with a growing pool (memory growth enabled). */
  TENSORFLOW,
  /** ONNX Runtime with its CUDA provider; inference only. */
  ONNX_RUNTIME,
  /** A TensorRT engine; inference only. */
  TENSORRT;

  /**
   * Reads {@code pytorch}, {@code pytorch-1}, {@code pytorch-2}, {@code tensorflow}, {@code
   * onnx-runtime} or {@code tensorrt}.
   */
  public static Framework parse(String text) {
    return Choice.parse("framework", Framework.class, text);
  }

  /** Whether the framework trains models. */
  public boolean trains() {
    return isPyTorch() || this == TENSORFLOW;
  }

  /** Whether it is PyTorch, of any version. */
  public boolean isPyTorch() {
    return this == PYTORCH || this == PYTORCH_1 || this == PYTORCH_2;
  }

  @Override
  public String toString() {
    return Choice.text(this);
  }
}
