package dev.cotenant.service.rest.decision;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.admission.decision.LargestBatch.Fit;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.pod.WorkloadAnnotations;
import dev.cotenant.domain.workload.EngineRun;
import org.jspecify.annotations.Nullable;

/**
 * Request of a pod.
 *
 * @param model absent where the pod names none
 * @param engine that runs a language model, with its version; absent for other pods
 * @param declaredMemory memory limit of the pod as written; absent without one
 * @param maxSlowdownRatio largest tolerated slowdown; absent without a limit of its own
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record RequestedView(
    @JsonProperty("gpus") int gpus,
    @JsonProperty("container") String container,
    @JsonProperty("model") @Nullable String model,
    @JsonProperty("engine") @Nullable String engine,
    @JsonProperty("batch_size") int batchSize,
    @JsonProperty("mode") String mode,
    @JsonProperty("declared_memory") @Nullable String declaredMemory,
    @JsonProperty("max_slowdown_ratio") @Nullable Double maxSlowdownRatio) {

  static RequestedView of(Colocatable pod) {
    WorkloadAnnotations workload = pod.workload();
    EngineRun run = workload.engine();
    return new RequestedView(
        pod.gpu().gpus(),
        pod.gpu().container(),
        workload.model() == null && run != null ? run.model() : workload.model(),
        run == null
            ? null
            : run.version() == null ? run.engine() : run.engine() + " " + run.version(),
        workload.batchSize(),
        workload.settings().mode().toString(),
        pod.declaredMemory().map(String::valueOf).orElse(null),
        workload.maxSlowdown() == null ? null : workload.maxSlowdown().ratio());
  }

  /**
   * A smaller request that would be admitted.
   *
   * @param batchSize the largest batch that would be admitted now
   */
  record FitView(
      @JsonProperty("batch_size") int batchSize,
      @JsonProperty("gpu") String gpu,
      @JsonProperty("node") String node) {
    static @Nullable FitView of(@Nullable Fit fit) {
      return fit == null
          ? null
          : new FitView(
              fit.batchSize(),
              fit.decision().grants().getFirst().gpuUuid(),
              fit.decision().grants().getFirst().node());
    }
  }
}
