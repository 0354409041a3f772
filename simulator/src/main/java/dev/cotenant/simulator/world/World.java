package dev.cotenant.simulator.world;

import dev.cotenant.domain.quantity.Percent;
import dev.cotenant.simulator.event.Timeline;
import dev.cotenant.simulator.event.Timer;
import dev.cotenant.simulator.world.Placement.Access;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * One run of a policy on a cluster and a stream of jobs. Single-threaded; the same input gives the
 * same figures. Jobs exist from arrival to end, so that memory is bounded by the jobs in flight.
 */
public final class World implements Job.Owner {
  /*
   * Events: the next arrival, and per job the end of its present phase and its review, per GPU the
   * instant at which its memory is full, and the period of the queue. At each change of a GPU the
   * work since the change before is integrated at the speeds of that stretch, exactly, and the next
   * events are scheduled again. After all events of an instant the queue is tried once: whole when a
   * GPU lost a job, opened or a period passed, else the new jobs alone.
   */
  /** The first back-off of a Kubernetes container. */
  private static final Duration BACKOFF = Duration.ofSeconds(10);

  private final WorldSettings settings;
  private final Policy policy;
  private final Observer observer;
  private final Timeline timeline = new Timeline();
  private final Totals totals = new Totals();
  private final List<Gpu> gpus = new ArrayList<>();
  private final View view;
  private final WaitingQueue queue;
  private final @Nullable OwnQueue ownQueue;
  private final List<Job> fresh = new ArrayList<>();
  private final Timer cycle = new Timer(() -> freed = true);
  private boolean freed;
  private long running;
  private long backingOff;

  World(WorldSettings settings, Policy policy, Observer observer) {
    this.settings = settings;
    this.policy = policy;
    this.observer = observer;
    Gpu.Shared shared = new Gpu.Shared(settings, timeline, totals);
    for (WorldSettings.Machine machine : settings.machines()) {
      for (int i = 0; i < machine.gpus(); i++) {
        int index = gpus.size();
        String uuid = String.format(Locale.ROOT, "GPU-%06d", index);
        gpus.add(new Gpu(index, uuid, machine, shared, () -> killOn(index)));
      }
    }
    view =
        new View(gpus.stream().map(gpu -> gpu.view).toList(), settings.mayShare(), timeline::now);
    queue = new WaitingQueue(policy.queue());
    ownQueue = policy.ownQueue().orElse(null);
  }

  /**
   * Runs until every job that the policy starts has ended.
   *
   * @param arrivals in ascending order of time
   * @param policy a new one
   */
  public static Totals run(WorldSettings settings, Iterator<Arrival> arrivals, Policy policy) {
    return run(settings, arrivals, policy, _ -> {});
  }

  /** The same with figures of single jobs. */
  public static Totals run(
      WorldSettings settings, Iterator<Arrival> arrivals, Policy policy, Observer observer) {
    return new World(settings, policy, observer).run(arrivals, _ -> true);
  }

  /**
   * Runs while a check after each instant holds.
   *
   * @param proceed takes the instant in nanoseconds
   */
  Totals run(Iterator<Arrival> arrivals, LongPredicate proceed) {
    policyStarts();
    Stream stream = new Stream(arrivals);
    stream.next();
    boolean proceeds = true;
    while (proceeds && timeline.size() > 0) {
      sampleBefore(timeline.next());
      timeline.step();
      totals.mostPending = Math.max(totals.mostPending, timeline.size());
      if (!timeline.hasMoreNow()) {
        tryQueue();
        proceeds = proceed.test(timeline.now());
        armCycle(stream.hasMore);
      }
    }
    totals.unplaced = queue.size();
    gpus.forEach(Gpu::advance);
    return totals;
  }

  /** Nothing changes before the next event, and memory is linear: samples are exact. */
  private void sampleBefore(long event) {
    while (observer.nextSampleNanos() < event) {
      observer.sampled(sample(observer.nextSampleNanos()));
    }
  }

  private Observer.Sample sample(long at) {
    double utilization = 0;
    double used = 0;
    double capacity = 0;
    double watts = 0;
    int busy = 0;
    for (Gpu gpu : gpus) {
      busy += gpu.jobs().isEmpty() ? 0 : 1;
      utilization += gpu.utilizationPercent();
      used += gpu.usedBytesAt(at);
      capacity += gpu.kind.capacity().bytes();
      watts += gpu.watts();
    }
    return new Observer.Sample(
        Duration.ofNanos(at),
        busy,
        queue.size(),
        utilization / gpus.size(),
        Percent.WHOLE * used / capacity,
        watts);
  }

  private void policyStarts() {
    gpus.forEach(gpu -> policy.changed(gpu.view));
  }

  List<Gpu> gpus() {
    return gpus;
  }

  /** Jobs that arrived and have not ended. */
  long inSystem() {
    return queue.size() + running + backingOff;
  }

  /** Arrivals, of which the next one alone is pending. */
  private final class Stream {
    private final Iterator<Arrival> arrivals;
    private final Timer timer = new Timer(this::arrive);
    private @Nullable Arrival pending;
    private boolean hasMore = true;

    Stream(Iterator<Arrival> arrivals) {
      this.arrivals = arrivals;
    }

    void next() {
      hasMore = arrivals.hasNext();
      if (hasMore) {
        Arrival arrival = arrivals.next();
        pending = arrival;
        timeline.schedule(timer, arrival.at().toNanos());
      }
    }

    private void arrive() {
      Arrival arrival = pending;
      if (arrival != null) {
        enqueue(new Job(totals.submitted++, arrival, World.this, settings.history()));
        next();
      }
    }
  }

  private void enqueue(Job job) {
    job.queuedAt = timeline.now();
    policy.queued(job.view);
    queue.add(job, policy.schedulingClass(job.view));
    totals.mostWaiting = Math.max(totals.mostWaiting, queue.size());
    fresh.add(job);
  }

  private void tryQueue() {
    if (ownQueue != null) {
      if (freed || !fresh.isEmpty()) {
        freed = false;
        fresh.clear();
        ownQueue.assign(view).forEach(this::startAssigned);
      }
    } else if (freed) {
      freed = false;
      fresh.clear();
      queue.cycle(this::place);
    } else if (!fresh.isEmpty()) {
      List<Job> arrived = List.copyOf(fresh);
      fresh.clear();
      for (Job job : arrived) {
        if (queue.reaches(job) && place(job)) {
          queue.started(job);
        }
      }
    }
  }

  private void armCycle(boolean hasMoreArrivals) {
    Duration period = policy.queue().period();
    if (queue.size() == 0) {
      timeline.cancel(cycle);
    } else if (ownQueue != null && !cycle.isPending()) {
      ownQueue.next().ifPresent(next -> timeline.schedule(cycle, timeline.now() + next.toNanos()));
    } else if (period != null
        && !cycle.isPending()
        && (running > 0 || backingOff > 0 || hasMoreArrivals)) {
      timeline.schedule(cycle, timeline.now() + period.toNanos());
    }
  }

  private boolean place(Job job) {
    return switch (policy.place(job.view, view)) {
      case Placement.Wait _ -> false;
      case Placement.Start start -> {
        startQueued(job, start);
        yield true;
      }
    };
  }

  private void startAssigned(OwnQueue.Assignment assigned) {
    Job job = assigned.job().job;
    queue.started(job);
    startQueued(job, assigned.start());
  }

  private void startQueued(Job job, Placement.Start start) {
    job.waited += timeline.now() - job.queuedAt;
    start(job, start);
  }

  private void start(Job job, Placement.Start start) {
    Gpu gpu = gpus.get(start.gpu().index());
    if (start.gpu().gpu != gpu || !view.mayJoin(job.view, gpu.view)) {
      throw new IllegalStateException(job.view + " may not join " + gpu.view);
    }
    if (start.access() == Access.CLOSED && !gpu.jobs().isEmpty()) {
      throw new IllegalStateException(gpu.view + " is not idle and cannot be closed");
    }
    gpu.add(job);
    gpu.access = start.access();
    running++;
    scheduleReview(job, start.review());
    settle(gpu);
  }

  private void scheduleReview(Job job, @Nullable Duration after) {
    if (after != null) {
      timeline.schedule(job.review, timeline.now() + after.toNanos());
    }
  }

  /** New speeds after a change; jobs whose allocations fail leave. */
  private void settle(Gpu gpu) {
    gpu.refresh();
    while (gpu.isOverFull()) {
      kill(gpu, gpu.victim());
      gpu.refresh();
    }
    view.changed(gpu.view);
    policy.changed(gpu.view);
  }

  @Override
  public void milestone(Job job) {
    Gpu gpu = job.gpu;
    if (gpu == null) { // it waits after an interruption
      backingOff--;
      enqueue(job);
      return;
    }
    gpu.advance();
    if (!job.nextPhase()) {
      finish(gpu, job);
    }
    settle(gpu);
  }

  private void finish(Gpu gpu, Job job) {
    gpu.remove(job);
    running--;
    freed = true;
    totals.finish(job, timeline.now());
    observer.ended(
        new Observer.Ended(
            job.submission,
            Duration.ofNanos(job.arrivedAt),
            Duration.ofNanos(job.waited),
            Duration.ofNanos(job.ran),
            Duration.ofNanos(timeline.now()),
            Duration.ofNanos((long) job.truth.work())));
    policy.finished(job.view);
  }

  private void killOn(int index) {
    Gpu gpu = gpus.get(index);
    gpu.advance();
    kill(gpu, gpu.victim());
    settle(gpu);
  }

  /** A job that needs more than the whole GPU fails for good, others start again. */
  private void kill(Gpu gpu, Job job) {
    job.kills++;
    totals.kills++;
    if (gpu.jobs().size() > 1) {
      leave(gpu, job, BACKOFF);
    } else {
      gpu.remove(job);
      running--;
      freed = true;
      totals.fail(job, timeline.now());
      policy.finished(job.view);
    }
  }

  /** Off the GPU and, after the backoff, into the queue. */
  private void leave(Gpu gpu, Job job, Duration backoff) {
    gpu.remove(job);
    job.interrupt();
    running--;
    backingOff++;
    freed = true;
    timeline.schedule(job.milestone, timeline.now() + backoff.toNanos());
  }

  @Override
  public void review(Job job) {
    Gpu gpu = job.gpu;
    if (gpu == null) {
      return;
    }
    gpu.advance();
    switch (policy.review(job.view, view)) {
      case Review.Stay(Duration next) -> {
        gpu.access = Access.OPEN;
        freed = true;
        scheduleReview(job, next);
        settle(gpu);
      }
      case Review.Leave() -> {
        moved(job);
        leave(gpu, job, Duration.ZERO);
        settle(gpu);
      }
      case Review.Move(Placement.Start to) -> {
        moved(job);
        gpu.remove(job);
        job.interrupt();
        running--;
        freed = true;
        settle(gpu);
        start(job, to);
      }
    }
  }

  private void moved(Job job) {
    job.moves++;
    totals.moves++;
  }
}
