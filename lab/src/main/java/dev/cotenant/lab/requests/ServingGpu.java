package dev.cotenant.lab.requests;

import dev.cotenant.placement.fleet.BatchTimes;
import dev.cotenant.placement.fleet.Partition;
import dev.cotenant.placement.fleet.PlannedGpu;
import dev.cotenant.placement.fleet.Turn;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** One GPU in use: its partitions, what runs in each, and the times of batches meanwhile. */
final class ServingGpu {
  private static final double NANOS_PER_MILLI = 1e6;

  /** A batch for which there is no figure takes an hour. */
  private static final long MAX_NANOS = 3_600_000_000_000L;

  private final BatchDurations durations;
  private final List<PartitionServer> servers = new ArrayList<>();
  private final Map<Long, Nanos> known = new HashMap<>();
  private PlannedGpu planned;
  private int[] running;

  ServingGpu(PlannedGpu planned, BatchDurations durations) {
    this.planned = planned;
    this.durations = durations;
    running = new int[planned.partitions().size()];
    Arrays.fill(running, BatchDurations.IDLE);
  }

  /** Times by batch: until the result, and until the next batch may start. */
  static final class Nanos {
    private final long[] latency;
    private final long[] busy;

    Nanos(BatchTimes times) {
      latency = new long[times.largest() + 1];
      busy = new long[latency.length];
      for (int k = 1; k < latency.length; k++) {
        latency[k] = nanos(times.latencyMillis(k));
        busy[k] = Math.max(1, nanos(times.busyMillis(k)));
      }
    }

    long latency(int requests) {
      return latency[requests];
    }

    long busy(int requests) {
      return busy[requests];
    }

    private static long nanos(double millis) {
      double nanos = millis * NANOS_PER_MILLI;
      return nanos < MAX_NANOS ? Math.round(nanos) : MAX_NANOS;
    }
  }

  PlannedGpu planned() {
    return planned;
  }

  List<PartitionServer> servers() {
    return servers;
  }

  /** Whether the same processes would run: the same device, shares and services. */
  boolean hasProcessesOf(PlannedGpu other) {
    if (!planned.device().equals(other.device())
        || planned.partitions().size() != other.partitions().size()) {
      return false;
    }
    for (int i = 0; i < running.length; i++) {
      Partition own = planned.partitions().get(i);
      Partition wanted = other.partitions().get(i);
      if (!own.share().equals(wanted.share()) || !services(own).equals(services(wanted))) {
        return false;
      }
    }
    return true;
  }

  private static List<String> services(Partition partition) {
    return partition.turns().stream().map(Turn::service).toList();
  }

  /** Updates the batches of the running processes. */
  void update(PlannedGpu other) {
    planned = other;
    known.clear();
    servers.forEach(PartitionServer::forgetTimes);
  }

  void run(int partition, int turn) {
    running[partition] = turn;
  }

  /** Times of a turn beside what runs now. */
  Nanos beside(int partition, int turn) {
    int before = running[partition];
    running[partition] = turn;
    Nanos times = times(partition, running);
    running[partition] = before;
    return times;
  }

  /** Times of a turn alone on the GPU. */
  Nanos alone(int partition, int turn) {
    int[] idle = new int[running.length];
    Arrays.fill(idle, BatchDurations.IDLE);
    idle[partition] = turn;
    return times(partition, idle);
  }

  private Nanos times(int partition, int[] state) {
    long key = partition;
    for (int i = 0; i < state.length; i++) {
      key = key * (planned.partitions().get(i).turns().size() + 1) + state[i] + 1;
    }
    Nanos times = known.get(key);
    if (times == null) {
      times = new Nanos(durations.times(planned, state.clone(), partition));
      known.put(key, times);
    }
    return times;
  }
}
