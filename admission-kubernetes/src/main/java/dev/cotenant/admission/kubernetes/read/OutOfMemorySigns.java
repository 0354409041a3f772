package dev.cotenant.admission.kubernetes.read;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.kubernetes.api.Json;
import java.util.List;

/**
 * Whether a container ended for lack of memory: of the node, by the kubelet's reason, or of the
 * GPU, by the termination message or the last log lines ({@code terminationMessagePolicy:
 * FallbackToLogsOnError}).
 */
final class OutOfMemorySigns {
  private static final String KILLED = "OOMKilled";

  /** Messages of frameworks for exhausted GPU memory. */
  private static final List<String> WORDS =
      List.of(
          "CUDA out of memory", // PyTorch
          "CUDA_ERROR_OUT_OF_MEMORY", // the driver, by way of TensorFlow and others
          "cudaErrorMemoryAllocation", // the runtime
          "RESOURCE_EXHAUSTED: Out of memory", // JAX
          "OOM when allocating tensor", // TensorFlow
          "CUBLAS_STATUS_ALLOC_FAILED",
          "CUDNN_STATUS_ALLOC_FAILED",
          "Failed to allocate memory for requested buffer"); // ONNX Runtime

  private OutOfMemorySigns() {}

  /** Whether {@code state.terminated} of a container shows it; a missing one does not. */
  static boolean in(JsonNode terminated) {
    if (KILLED.equals(Json.text(terminated, "reason"))) {
      return true;
    }
    String message = Json.textOr(terminated, "message", "");
    return terminated.path("exitCode").asInt(0) != 0 && WORDS.stream().anyMatch(message::contains);
  }
}
