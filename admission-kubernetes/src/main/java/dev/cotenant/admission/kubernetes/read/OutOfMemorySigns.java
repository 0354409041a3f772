package dev.cotenant.admission.kubernetes.read;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.kubernetes.api.Json;
import java.util.List;

/**
 * Whether a container ended for want of memory: the kubelet says so of the node's memory, the
 * program itself of the GPU's, in the last lines that Kubernetes keeps of it ({@code
 * terminationMessagePolicy: FallbackToLogsOnError}) or in its termination message.
 */
final class OutOfMemorySigns {
  private static final String KILLED = "OOMKilled";

  /** What frameworks say when the GPU has no memory left. */
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

  /** Looks at {@code state.terminated} of a container; a missing one shows nothing. */
  static boolean in(JsonNode terminated) {
    if (KILLED.equals(Json.text(terminated, "reason"))) {
      return true;
    }
    String message = Json.textOr(terminated, "message", "");
    return terminated.path("exitCode").asInt(0) != 0 && WORDS.stream().anyMatch(message::contains);
  }
}
