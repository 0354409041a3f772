package dev.cotenant.lab.memory;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.forecast.ResAwareChain;
import dev.cotenant.forecast.ResAwareSettings;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Policies beside the decision of the product: baselines, published ones and the oracle. */
final class MemoryBaselines {
  static final String ORACLE = "oracle";

  private static final int MAX_TENANTS = 3;

  private MemoryBaselines() {}

  /** Every pod has a GPU of its own. */
  static MemoryPolicy exclusive() {
    return new MemoryPolicy("exclusive", (_, _, _) -> Optional.empty());
  }

  /** At most three tenants: the first GPU with fewer. */
  static MemoryPolicy threeTenants() {
    return new MemoryPolicy(
        "tenants-3",
        (_, gpus, step) ->
            gpus.stream().filter(gpu -> gpu.at(step).size() < MAX_TENANTS).findFirst());
  }

  /**
   * An owner's request: the peak and so much more, at most a whole GPU.
   *
   * @param overPercent by how much more
   */
  record Request(int overPercent, MemorySize capacity) {
    MemorySize of(RecordedPod pod) {
      return pod.peak().times(1 + overPercent / 100.0).min(capacity);
    }

    MemorySize granted(MemoryGpu gpu, int step) {
      return requests(gpu, step).stream().reduce(MemorySize.ZERO, MemorySize::plus);
    }

    List<MemorySize> requests(MemoryGpu gpu, int step) {
      return gpu.at(step).stream().map(resident -> of(resident.pod())).toList();
    }
  }

  /** Trusts requests: the fullest GPU on which the requests fit. */
  static MemoryPolicy gpuShare(Request request) {
    return new MemoryPolicy(
        "gpushare+" + request.overPercent() + "%",
        (pod, gpus, step) ->
            gpus.stream()
                .filter(gpu ->
                    request.granted(gpu, step).plus(request.of(pod)).isAtMost(request.capacity()))
                .max(
                    Comparator.comparing((MemoryGpu gpu) -> request.granted(gpu, step))
                        .thenComparing(MemoryGpu::uuid, Comparator.reverseOrder())));
  }

  /** The published chain of grants, CBP and PP on every GPU in turn [ResAware, section 5]. */
  static MemoryPolicy resAware(Request request, UsedMemorySeries series) {
    ResAwareChain chain = new ResAwareChain(ResAwareSettings.DEFAULT);
    return new MemoryPolicy(
        "resaware+" + request.overPercent() + "%",
        (pod, gpus, step) ->
            gpus.stream()
                .filter(gpu ->
                    chain
                        .admittingStage(series.request(gpu, step, request), request.of(pod))
                        .isPresent())
                .findFirst());
  }

  /**
   * Knows the future use of every pod: the GPU that will be fullest without ever being too full.
   */
  static MemoryPolicy oracle(MemorySize capacity) {
    return new MemoryPolicy(
        ORACLE,
        (pod, gpus, step) ->
            gpus.stream()
                .filter(gpu -> gpu.peakWith(pod, step) <= capacity.bytes())
                .max(
                    Comparator.comparingLong((MemoryGpu gpu) -> gpu.peakWith(pod, step))
                        .thenComparing(MemoryGpu::uuid, Comparator.reverseOrder())));
  }
}
