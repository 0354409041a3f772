package dev.cotenant.service.rest.prediction;

import dev.cotenant.domain.workload.RunOptions;
import dev.cotenant.domain.workload.RunSettings;
import jakarta.ws.rs.QueryParam;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.jspecify.annotations.Nullable;

/** Query parameters for the run settings of an uploaded model; absent ones are defaults. */
public final class RunParameters {
  @QueryParam(RunOptions.MODE)
  @Parameter(description = "training or inference; of uploads only")
  @Nullable String mode;

  @QueryParam(RunOptions.PRECISION)
  @Parameter(description = "fp32, tf32, fp16, bf16, amp or amp-bf16; of uploads only")
  @Nullable String precision;

  @QueryParam(RunOptions.FRAMEWORK)
  @Parameter(
      description =
          "pytorch, pytorch-1, pytorch-2, tensorflow, onnx-runtime or tensorrt; of uploads only")
  @Nullable String framework;

  @QueryParam(RunOptions.OPTIMIZER)
  @Parameter(description = "Of training, such as adam or sgd; of uploads only")
  @Nullable String optimizer;

  @QueryParam(RunOptions.CHECKPOINTING)
  @Parameter(description = "Of activations in training: none or segments; of uploads only")
  @Nullable String checkpointing;

  @QueryParam(RunOptions.REQUEST_RATE)
  @Parameter(description = "Of inference: requests per second, one sample each; of uploads only")
  @Nullable String requestRate;

  @QueryParam(RunOptions.INPUT_BOUND)
  @Parameter(description = "Of training: share of each step that waits for input; of uploads only")
  @Nullable String inputBound;

  @QueryParam(RunOptions.UTILIZATION_LIMIT)
  @Parameter(
      description = "Of training: the utilization that slow input allows at most; of uploads only")
  @Nullable String utilizationLimit;

  RunSettings settings() {
    return RunOptions.read(this::text);
  }

  private @Nullable String text(String option) {
    return switch (option) {
      case RunOptions.MODE -> mode;
      case RunOptions.PRECISION -> precision;
      case RunOptions.FRAMEWORK -> framework;
      case RunOptions.OPTIMIZER -> optimizer;
      case RunOptions.CHECKPOINTING -> checkpointing;
      case RunOptions.REQUEST_RATE -> requestRate;
      case RunOptions.INPUT_BOUND -> inputBound;
      case RunOptions.UTILIZATION_LIMIT -> utilizationLimit;
      default -> throw new IllegalArgumentException(option);
    };
  }
}
