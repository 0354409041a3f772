package dev.cotenant.service.rest;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.admission.decision.LargestBatch.Fit;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.pod.WorkloadAnnotations;
import org.jspecify.annotations.Nullable;

/**
 * What a pod asks for.
 *
 * @param model absent where it names none
 * @param declaredMemory memory that it declares itself, in its own words; absent where it does not
 * @param maxSlowdownRatio the most it tolerates; absent where it does not say
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record AskedView(
    @JsonProperty("gpus") int gpus,
    @JsonProperty("container") String container,
    @JsonProperty("model") @Nullable String model,
    @JsonProperty("batch_size") int batchSize,
    @JsonProperty("mode") String mode,
    @JsonProperty("declared_memory") @Nullable String declaredMemory,
    @JsonProperty("max_slowdown_ratio") @Nullable Double maxSlowdownRatio) {

  static AskedView of(Colocatable pod) {
    WorkloadAnnotations workload = pod.workload();
    return new AskedView(
        pod.gpu().gpus(),
        pod.gpu().container(),
        workload.model(),
        workload.batchSize(),
        workload.mode().toString(),
        pod.declaredMemory().map(String::valueOf).orElse(null),
        workload.maxSlowdown() == null ? null : workload.maxSlowdown().ratio());
  }

  /**
   * What would fit in place of what does not.
   *
   * @param batchSize the largest that would be admitted now
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
