package dev.cotenant.domain.workload;

/** The software that executes the graph. It decides on allocation, fusion and launches. */
public enum Framework {
  /** PyTorch in eager mode with its caching allocator. */
  PYTORCH,
  /** TensorFlow 2 with a growing pool (memory growth enabled). */
  TENSORFLOW,
  /** ONNX Runtime with its CUDA provider; inference only. */
  ONNX_RUNTIME,
  /** A TensorRT engine; inference only. */
  TENSORRT;

  /** Reads {@code pytorch}, {@code tensorflow}, {@code onnx-runtime} or {@code tensorrt}. */
  public static Framework parse(String text) {
    return Choice.parse("framework", Framework.class, text);
  }

  /** Whether the framework trains models. */
  public boolean trains() {
    return this == PYTORCH || this == TENSORFLOW;
  }

  @Override
  public String toString() {
    return Choice.text(this);
  }
}
