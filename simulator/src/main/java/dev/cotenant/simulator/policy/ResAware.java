package dev.cotenant.simulator.policy;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.forecast.ForecastRequest;
import dev.cotenant.forecast.ResAwareChain;
import dev.cotenant.forecast.ResAwareSettings;
import dev.cotenant.simulator.world.GpuView;
import dev.cotenant.simulator.world.JobView;
import dev.cotenant.simulator.world.Placement;
import dev.cotenant.simulator.world.Policy;
import dev.cotenant.simulator.world.QueueRule;
import dev.cotenant.simulator.world.View;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The published chain of grants, correlation-based prediction and peak prediction on every GPU in
 * turn; the queue holds the largest request first and is tried again each second, as samples come
 * [ResAware, section 5]. With {@link SeriesCorrelation}, a GPU whose grants leave too little is
 * refused beside correlated series, as in Kube-Knots, which ResAware omits.
 */
final class ResAware implements Policy {
  private static final QueueRule QUEUE =
      new QueueRule(QueueRule.Order.LARGEST_MEMORY_FIRST, Duration.ofSeconds(1));

  private final ResAwareChain chain = new ResAwareChain(ResAwareSettings.DEFAULT);
  private final String agnostic = chain.stages().getFirst().name();
  private final @Nullable SeriesCorrelation correlation;

  /**
   * @param correlation of Kube-Knots; null without
   */
  ResAware(@Nullable SeriesCorrelation correlation) {
    this.correlation = correlation;
  }

  @Override
  public QueueRule queue() {
    return QUEUE;
  }

  @Override
  public Placement place(JobView job, View view) {
    for (GpuView gpu : view.gpus()) {
      if (view.mayJoin(job, gpu) && admits(gpu, job, view)) {
        return Placement.on(gpu);
      }
    }
    return Placement.waiting();
  }

  private boolean admits(GpuView gpu, JobView job, View view) {
    List<MemorySize> granted = gpu.tenants().stream().map(t -> requested(t, gpu)).toList();
    ForecastRequest request =
        new ForecastRequest(
            gpu.usedMemorySeries(), gpu.kind().capacity(), granted, Instant.EPOCH.plus(view.now()));
    return gpu.tenants().isEmpty()
        || chain
            .admittingStage(request, requested(job, gpu))
            .filter(stage -> stage.equals(agnostic) || isUncorrelated(job, gpu))
            .isPresent();
  }

  private boolean isUncorrelated(JobView job, GpuView gpu) {
    return correlation == null || correlation.allows(job, gpu);
  }

  @Override
  public void changed(GpuView gpu) {
    if (correlation != null) {
      correlation.observe(gpu);
    }
  }

  private static MemorySize requested(JobView job, GpuView gpu) {
    return job.submission().requestedMemory().min(gpu.kind().capacity());
  }

  private record Request(String configuration, MemorySize memory) {}

  @Override
  public Object schedulingClass(JobView job) {
    return new Request(job.submission().configuration(), job.submission().requestedMemory());
  }
}
