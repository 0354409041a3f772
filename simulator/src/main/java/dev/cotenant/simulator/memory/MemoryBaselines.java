package dev.cotenant.simulator.memory;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.forecast.ForecastRequest;
import dev.cotenant.forecast.ResAwareChain;
import dev.cotenant.forecast.ResAwareSettings;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Who decides otherwise than the product, and who knows the series. */
final class MemoryBaselines {
  private static final double PERCENT = 100;

  private MemoryBaselines() {}

  /** Every pod has a GPU of its own. */
  record Exclusive() implements MemoryPolicy {
    @Override
    public String name() {
      return "exclusive";
    }

    @Override
    public Optional<MemoryGpu> choose(RecordedPod pod, List<MemoryGpu> gpus, int step) {
      return Optional.empty();
    }
  }

  /** At most three tenants: the first GPU with fewer. */
  record ThreeTenants() implements MemoryPolicy {
    private static final int MAX_TENANTS = 3;

    @Override
    public String name() {
      return "tenants-3";
    }

    @Override
    public Optional<MemoryGpu> choose(RecordedPod pod, List<MemoryGpu> gpus, int step) {
      return gpus.stream().filter(gpu -> gpu.at(step).size() < MAX_TENANTS).findFirst();
    }
  }

  /**
   * What an owner asks for: the peak and so much more, at most a whole GPU.
   *
   * @param overPercent by how much more
   */
  record Request(int overPercent, MemorySize capacity) {
    MemorySize of(RecordedPod pod) {
      return pod.peak().times(1 + overPercent / PERCENT).min(capacity);
    }

    MemorySize granted(MemoryGpu gpu, int step) {
      return requests(gpu, step).stream().reduce(MemorySize.ZERO, MemorySize::plus);
    }

    List<MemorySize> requests(MemoryGpu gpu, int step) {
      return gpu.at(step).stream().map(resident -> of(resident.pod())).toList();
    }
  }

  /** Trusts requests: the GPU with the least left on which they add up to what it has. */
  record GpuShare(Request request) implements MemoryPolicy {
    @Override
    public String name() {
      return "gpushare+" + request.overPercent() + "%";
    }

    @Override
    public Optional<MemoryGpu> choose(RecordedPod pod, List<MemoryGpu> gpus, int step) {
      MemorySize wanted = request.of(pod);
      return gpus.stream()
          .filter(gpu -> request.granted(gpu, step).plus(wanted).isAtMost(request.capacity()))
          .max(
              Comparator.comparing((MemoryGpu gpu) -> request.granted(gpu, step))
                  .thenComparing(MemoryGpu::uuid, Comparator.reverseOrder()));
    }
  }

  /** The published chain of grants, CBP and PP on every GPU in turn [ResAware, section 5]. */
  record ResAware(Request request, ResAwareChain chain, UsedMemorySeries series)
      implements MemoryPolicy {
    static ResAware of(Request request, UsedMemorySeries series) {
      return new ResAware(request, new ResAwareChain(ResAwareSettings.DEFAULT), series);
    }

    @Override
    public String name() {
      return "resaware+" + request.overPercent() + "%";
    }

    @Override
    public Optional<MemoryGpu> choose(RecordedPod pod, List<MemoryGpu> gpus, int step) {
      return gpus.stream().filter(gpu -> lets(pod, gpu, step)).findFirst();
    }

    private boolean lets(RecordedPod pod, MemoryGpu gpu, int step) {
      ForecastRequest question =
          new ForecastRequest(
              series.of(gpu, step),
              request.capacity(),
              request.requests(gpu, step),
              series.at(step));
      return chain.admittingStage(question, request.of(pod)).isPresent();
    }
  }

  /** Knows what everybody will use: the GPU that will be fullest without ever being too full. */
  record Oracle(MemorySize capacity) implements MemoryPolicy {
    @Override
    public String name() {
      return "oracle";
    }

    @Override
    public Optional<MemoryGpu> choose(RecordedPod pod, List<MemoryGpu> gpus, int step) {
      return gpus.stream()
          .filter(gpu -> gpu.peakWith(pod, step) <= capacity.bytes())
          .max(
              Comparator.comparingLong((MemoryGpu gpu) -> gpu.peakWith(pod, step))
                  .thenComparing(MemoryGpu::uuid, Comparator.reverseOrder()));
    }
  }
}
