package dev.cotenant.lab.requests;

import dev.cotenant.placement.fleet.Turn;
import dev.cotenant.simulator.event.Timeline;
import dev.cotenant.simulator.event.Timer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One partition: its queues, a batch at a time, and turns that go round. */
final class PartitionServer {
  /*
   * As RequestQueue: a free partition takes what waits of the next turn, up to its batch, and a turn
   * without a ready batch is skipped. A batch is ready when it is full or its first request has
   * waited for the share of its objective that the settings allow. Its time is that beside what runs
   * on the GPU at its start; neighbours that start or end meanwhile do not change it. The next batch
   * starts after the busy time, results come after the latency.
   */
  private static final int ONE = 1;

  private final ServingGpu gpu;
  private final int partition;
  private final ServingSettings.Batching batching;
  private final Timeline timeline;
  private final Outcomes outcomes;
  private final RequestRing[] queues;
  private final ServingGpu.@Nullable Nanos[] alone;
  private final List<Batch> idle = new ArrayList<>();
  private final Timer timer = new Timer(this::wake);
  private int[] largest;
  private int next;
  private boolean busy;

  /** What takes the results. */
  interface Outcomes {
    void served(int tag, long since);

    void dropped(int tag);

    /** Takes the batches of a service. */
    BatchRecord batches(String service);

    /** The objective of a request in nanoseconds. */
    long sloNanos(int tag);
  }

  PartitionServer(
      ServingGpu gpu,
      int partition,
      ServingSettings.Batching batching,
      Timeline timeline,
      Outcomes outcomes) {
    this.gpu = gpu;
    this.partition = partition;
    this.batching = batching;
    this.timeline = timeline;
    this.outcomes = outcomes;
    queues = new RequestRing[turns().size()];
    Arrays.setAll(queues, _ -> new RequestRing());
    alone = new ServingGpu.Nanos[queues.length];
    largest = batches();
  }

  List<Turn> turns() {
    return gpu.planned().partitions().get(partition).turns();
  }

  private int[] batches() {
    return turns().stream().mapToInt(Turn::batch).toArray();
  }

  int queued(int turn) {
    return queues[turn].size();
  }

  /** Whether neither a batch runs nor a request waits. */
  boolean isFree() {
    boolean free = !busy;
    for (RequestRing queue : queues) {
      free &= queue.size() == 0;
    }
    return free;
  }

  /** Batches have changed. */
  void forgetTimes() {
    Arrays.fill(alone, null);
    largest = batches();
  }

  void add(int turn, long since, int tag) {
    queues[turn].add(since, tag);
    if (!busy) {
      start();
    }
  }

  /** Ends it; what waits is given back, what runs ends by itself. */
  void retire(Orphans orphans) {
    timeline.cancel(timer);
    for (int turn = 0; turn < queues.length; turn++) {
      RequestRing queue = queues[turn];
      while (queue.size() > 0) {
        long since = queue.headSince();
        int tag = queue.headTag();
        queue.remove();
        orphans.take(turns().get(turn).service(), since, tag);
      }
    }
  }

  /** Takes requests whose partition is gone. */
  @FunctionalInterface
  interface Orphans {
    void take(String service, long since, int tag);
  }

  private void wake() {
    if (busy) {
      busy = false;
      gpu.run(partition, BatchDurations.IDLE);
    }
    start();
  }

  private void start() {
    long ready = Long.MAX_VALUE;
    for (int k = 0; k < queues.length; k++) {
      int turn = (next + k) % queues.length;
      dropHopeless(turn);
      if (queues[turn].size() > 0) {
        long at = readyAt(turn);
        if (at <= timeline.now()) {
          run(turn);
          next = (turn + 1) % queues.length;
          return;
        }
        ready = Math.min(ready, at);
      }
    }
    if (ready < Long.MAX_VALUE) {
      timeline.schedule(timer, ready);
    }
  }

  private long readyAt(int turn) {
    RequestRing queue = queues[turn];
    if (batching.waitShare() == 0 || queue.size() >= largest[turn]) {
      return timeline.now();
    }
    double wait = batching.waitShare() * outcomes.sloNanos(queue.headTag());
    return Math.max(timeline.now(), queue.headSince() + Math.round(wait));
  }

  private void dropHopeless(int turn) {
    if (batching.late() == ServingSettings.Late.SERVED) {
      return;
    }
    RequestRing queue = queues[turn];
    ServingGpu.Nanos times = alone(turn);
    while (queue.size() > 0) {
      int size = Math.min(queue.size(), largest[turn]);
      long result = timeline.now() + times.latency(size);
      int tag = queue.headTag();
      if (result - queue.headSince() <= outcomes.sloNanos(tag)) {
        return;
      }
      queue.remove();
      outcomes.dropped(tag);
    }
  }

  private ServingGpu.Nanos alone(int turn) {
    ServingGpu.Nanos times = alone[turn];
    if (times == null) {
      times = gpu.alone(partition, turn);
      alone[turn] = times;
    }
    return times;
  }

  private void run(int turn) {
    ServingGpu.Nanos times = gpu.beside(partition, turn);
    int size = Math.min(queues[turn].size(), largest[turn]);
    Batch batch = idle.isEmpty() ? new Batch() : idle.removeLast();
    double waited = batch.fill(queues[turn], size);
    outcomes
        .batches(turns().get(turn).service())
        .add(largest[turn], size, waited, times.latency(size));
    busy = true;
    gpu.run(partition, turn);
    timeline.schedule(timer, timeline.now() + times.busy(size));
    timeline.schedule(batch.timer, timeline.now() + times.latency(size));
  }

  /** Requests on the GPU; used again. */
  private final class Batch {
    private final Timer timer = new Timer(this::end);
    private long[] since = new long[ONE];
    private int[] tags = new int[ONE];
    private int size;

    /** Takes the first requests of a queue; answers Σ of their waits, nanoseconds. */
    double fill(RequestRing queue, int requests) {
      if (since.length < requests) {
        since = new long[requests];
        tags = new int[requests];
      }
      size = requests;
      double waited = 0;
      for (int i = 0; i < requests; i++) {
        since[i] = queue.headSince();
        tags[i] = queue.headTag();
        queue.remove();
        waited += timeline.now() - since[i];
      }
      return waited;
    }

    private void end() {
      for (int i = 0; i < size; i++) {
        outcomes.served(tags[i], since[i]);
      }
      idle.add(this);
    }
  }
}
