package dev.cotenant.simulator.world;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.simulator.event.Timeline;
import dev.cotenant.simulator.event.Timer;
import dev.cotenant.simulator.world.Placement.Access;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;

/** A GPU and the jobs on it; integrates work, memory and energy between changes. */
final class Gpu {
  private static final double ROUNDING_BYTES = 1024;

  final int index;
  final String uuid;
  final String node;
  final GpuKind kind;
  final GpuView view = new GpuView(this);
  final MemoryHistory history;
  final Timer memoryFull;
  Access access = Access.OPEN;

  private final WorldSettings settings;
  private final Timeline timeline;
  private final Totals totals;
  private final List<Job> jobs = new ArrayList<>();
  private long since;
  private double memory;
  private double slope;
  private double summedUtilization;
  private boolean harms;
  private List<JobView> tenants = List.of();

  /** What all GPUs of a cluster share. */
  record Shared(WorldSettings settings, Timeline timeline, Totals totals) {}

  Gpu(int index, String uuid, WorldSettings.Machine machine, Shared shared, Runnable onFull) {
    this.index = index;
    this.uuid = uuid;
    node = machine.node();
    kind = machine.kind();
    settings = shared.settings();
    timeline = shared.timeline();
    totals = shared.totals();
    history = MemoryHistory.of(settings.history());
    memoryFull = new Timer(onFull);
  }

  long now() {
    return timeline.now();
  }

  List<JobView> tenants() {
    return tenants;
  }

  List<Job> jobs() {
    return jobs;
  }

  /** Brings the figures up to now. */
  void advance() {
    long nanos = timeline.now() - since;
    if (nanos == 0) {
      return;
    }
    totals.add(this, nanos);
    history.record(since, timeline.now(), memory, slope);
    for (Job job : jobs) {
      job.history.record(since, timeline.now(), job.memoryBytes(), job.memorySlope());
      job.advance(nanos);
    }
    if (jobs.size() == 1) {
      jobs.getFirst().measureAlone(nanos);
    }
    memory += slope * nanos;
    since = timeline.now();
  }

  void add(Job job) {
    advance();
    jobs.add(job);
    job.gpu = this;
    job.startedAt = timeline.now();
  }

  void remove(Job job) {
    advance();
    jobs.remove(job);
    job.gpu = null;
    timeline.cancel(job.milestone);
    timeline.cancel(job.review);
    if (jobs.isEmpty()) {
      access = Access.OPEN;
    }
  }

  /** Speeds, memory and the next events, after a change of jobs or phases. */
  void refresh() {
    tenants = jobs.stream().map(job -> job.view).toList();
    memory = 0;
    slope = 0;
    summedUtilization = 0;
    harms = false;
    long next = Long.MAX_VALUE;
    for (Job job : jobs) {
      double alone = speed(job, List.of());
      job.speed = jobs.size() == 1 ? alone : speed(job, loadsBeside(job));
      harms |= alone > job.speed * WorldSettings.HARM_RATIO;
      memory += job.memoryBytes();
      slope += job.memorySlope();
      summedUtilization += job.load().utilizationPercent();
      long at = timeline.now() + job.untilMilestone();
      timeline.schedule(job.milestone, at);
      next = Math.min(next, at);
    }
    scheduleMemoryFull(next);
  }

  private double speed(Job job, List<Phase.Load> others) {
    return settings.speed(kind, job.load(), others);
  }

  private List<Phase.Load> loadsBeside(Job own) {
    List<Phase.Load> others = new ArrayList<>(jobs.size() - 1);
    for (Job job : jobs) {
      if (job != own) {
        others.add(job.load());
      }
    }
    return others;
  }

  /** Between milestones memory is linear in time, so that the instant is exact. */
  private void scheduleMemoryFull(long nextMilestone) {
    timeline.cancel(memoryFull);
    double rest = kind.capacity().bytes() + ROUNDING_BYTES - memory;
    if (slope > 0 && rest >= 0 && rest / slope < nextMilestone - timeline.now()) {
      timeline.schedule(memoryFull, timeline.now() + (long) Math.ceil(rest / slope));
    }
  }

  boolean isOverFull() {
    return memory > kind.capacity().bytes() + ROUNDING_BYTES / 2;
  }

  /** The job whose allocation fails: among growing jobs, else all, the last to start. */
  Job victim() {
    List<Job> growing = jobs.stream().filter(job -> job.memorySlope() > 0).toList();
    return (growing.isEmpty() ? jobs : growing)
        .stream()
            .max(
                Comparator.comparingLong((Job job) -> job.startedAt)
                    .thenComparingLong(job -> job.number))
            .orElseThrow();
  }

  MemorySize usedNow() {
    double bytes = Math.max(0, usedBytesAt(timeline.now()));
    return MemorySize.ofBytesRoundedUp(bytes).min(kind.capacity());
  }

  /** Used memory at an instant before the next change. */
  double usedBytesAt(long at) {
    return memory + slope * (at - since);
  }

  double usedBytes() {
    return memory;
  }

  double memorySlope() {
    return slope;
  }

  double utilizationPercent() {
    return Math.min(100, summedUtilization);
  }

  /** Drawn power. */
  double watts() {
    return kind.power().watts(summedUtilization);
  }

  /** Whether a job of it is slowed beyond the limit. */
  boolean harms() {
    return harms;
  }

  /** The same noise for a job as long as its neighbours stay. */
  double measuredSpeed(Job job) {
    double ratio = job.speed / speed(job, List.of());
    if (settings.speedNoise() == 0) {
      return ratio;
    }
    long mixed = settings.seed();
    for (Job tenant : jobs) {
      mixed = 31 * (mixed + tenant.number) + tenant.startedAt;
    }
    SplittableRandom random = new SplittableRandom(31 * mixed + job.number);
    return ratio * StrictMath.exp(settings.speedNoise() * random.nextGaussian());
  }
}
