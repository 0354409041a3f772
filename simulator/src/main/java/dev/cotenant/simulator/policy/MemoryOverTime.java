package dev.cotenant.simulator.policy;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.Nanoseconds;
import dev.cotenant.simulator.world.GpuView;
import dev.cotenant.simulator.world.JobView;
import dev.cotenant.simulator.world.Placement;
import dev.cotenant.simulator.world.Policy;
import dev.cotenant.simulator.world.QueueRule;
import dev.cotenant.simulator.world.View;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Starts a job if its future memory and that of the running jobs fit at every second: a job may
 * load while another is about to end.
 *
 * <p>A configuration's memory over time is that of its longest observed start, then its peak: the
 * predicted one, or the requested one where there is no prediction. It is released after the
 * longest of its earlier runs and a tenth more; before the first of them has ended, and after that
 * time, a job counts with its peak for good. A job that ran out of memory starts again where all
 * peaks fit.
 */
final class MemoryOverTime implements Policy {
  private static final QueueRule QUEUE = new QueueRule(QueueRule.Order.FIFO, Duration.ofSeconds(1));

  /** The default headroom of the product's limits. */
  private static final double USABLE = 0.95;

  /** How much longer or faster than its earlier runs a run may be. */
  private static final double TOLERANCE = 1.1;

  private final DeviceId device;
  private final int mostTenants;
  private final ObservedStarts starts = new ObservedStarts();
  private final Map<String, Double> longest = new HashMap<>();
  private @Nullable View latest;

  /**
   * @param device of the predictions
   * @param mostTenants at most so many jobs on a GPU
   */
  MemoryOverTime(DeviceId device, int mostTenants) {
    this.device = device;
    this.mostTenants = mostTenants;
  }

  @Override
  public QueueRule queue() {
    return QUEUE;
  }

  @Override
  public Placement place(JobView job, View view) {
    latest = view;
    for (GpuView gpu : view.gpus()) {
      boolean mayJoin = view.mayJoin(job, gpu) && gpu.tenants().size() < mostTenants;
      if (mayJoin && (gpu.tenants().isEmpty() || fits(job, gpu, view.now()))) {
        return Placement.on(gpu);
      }
    }
    return Placement.waiting();
  }

  private boolean fits(JobView job, GpuView gpu, Duration now) {
    double room = USABLE * gpu.kind().capacity().bytes();
    boolean isCertain = job.outOfMemoryKills() > 0;
    double last = isCertain ? 0 : starts.of(job.submission().configuration()).length;
    for (JobView tenant : gpu.tenants()) {
      last = Math.max(last, released(tenant) - elapsed(tenant, now));
    }
    for (int ahead = 0; ahead <= last + 1; ahead++) {
      double sum = isCertain ? peak(job) : upTo(job, ahead);
      for (JobView tenant : gpu.tenants()) {
        double elapsed = elapsed(tenant, now);
        boolean isReleased =
            !isCertain && elapsed <= released(tenant) && elapsed + ahead > released(tenant);
        sum += isCertain ? peak(tenant) : isReleased ? 0 : upTo(tenant, elapsed + ahead);
      }
      if (sum > room) {
        return false;
      }
    }
    return true;
  }

  private static double elapsed(JobView tenant, Duration now) {
    return seconds(now.minus(tenant.startedAt()));
  }

  private static double seconds(Duration duration) {
    return duration.toNanos() / Nanoseconds.PER_SECOND;
  }

  /** Seconds from its start to its end, with a tolerance; 0 where no run has ended. */
  private double released(JobView job) {
    return TOLERANCE * longest.getOrDefault(job.submission().configuration(), 0.0);
  }

  /** The most memory up to so many seconds after the start. */
  private double upTo(JobView job, double seconds) {
    double[] start = starts.of(job.submission().configuration());
    int samples = (int) Math.ceil(TOLERANCE * seconds) + 1;
    return samples >= start.length ? peak(job) : start[samples];
  }

  private double peak(JobView job) {
    Prediction prediction = job.submission().predictions().get(device);
    return prediction == null
        ? job.submission().requestedMemory().bytes()
        : prediction.peakMemory().upper().bytes();
  }

  @Override
  public void changed(GpuView gpu) {
    starts.observe(gpu);
  }

  @Override
  public void finished(JobView job) {
    View view = latest;
    if (view != null) {
      longest.merge(job.submission().configuration(), elapsed(job, view.now()), Math::max);
    }
  }
}
