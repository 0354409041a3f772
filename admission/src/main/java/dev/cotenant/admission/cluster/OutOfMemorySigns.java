package dev.cotenant.admission.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Whether a container ended for lack of memory: of the node, by the kubelet's reason, or of the
 * GPU, by the termination message or the last log lines ({@code terminationMessagePolicy:
 * FallbackToLogsOnError}).
 */
public final class OutOfMemorySigns {
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
          "Failed to allocate memory for requested buffer", // ONNX Runtime
          "No available memory for the cache blocks", // vLLM
          "is less than desired GPU memory utilization", // vLLM, of free memory at its start
          "is larger than the available KV cache memory"); // vLLM

  /** Of HAMi-core, where a process asks for more than the container's limit. */
  private static final Pattern OF_LIMIT = Pattern.compile("Device \\d+ OOM \\d+ / \\d+");

  private OutOfMemorySigns() {}

  /** Whether {@code state.terminated} of a container shows it; a missing one does not. */
  public static boolean in(JsonNode terminated) {
    return KILLED.equals(terminated.path("reason").asText("")) || ofGpu(terminated);
  }

  /** Signs of exhausted GPU memory only. */
  public static boolean ofGpu(JsonNode terminated) {
    String message = terminated.path("message").asText("");
    return terminated.path("exitCode").asInt(0) != 0
        && (WORDS.stream().anyMatch(message::contains) || OF_LIMIT.matcher(message).find());
  }
}
