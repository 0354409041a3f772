package dev.cotenant.service.overload;

import io.netty.channel.EventLoop;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Delay of event loops: the time that a task waits for its turn, which is the time that bytes wait
 * to be read. Safe for use by many threads.
 */
final class LoopLag {
  private final Map<EventLoop, Probe> probes = new ConcurrentHashMap<>();

  /** Of one loop, by {@link System#nanoTime}. */
  private record Probe(long sent, long lag, boolean isUnderWay) {
    long lag(long now) {
      return isUnderWay ? Math.max(lag, now - sent) : lag;
    }
  }

  /** A loop to measure from now on, also while it has no connections. */
  void add(EventLoop loop) {
    probes.putIfAbsent(loop, new Probe(0, 0, false));
  }

  /** Measures every loop, unless that is under way. */
  void measure() {
    probes.forEach((loop, last) -> {
      if (!last.isUnderWay()) {
        long sent = System.nanoTime();
        probes.put(loop, new Probe(sent, last.lag(), true));
        loop.execute(() -> probes.put(loop, new Probe(sent, System.nanoTime() - sent, false)));
      }
    });
  }

  /** The lag of the slowest loop, in nanoseconds. */
  long nanos() {
    long now = System.nanoTime();
    return probes.values().stream().mapToLong(probe -> probe.lag(now)).max().orElse(0);
  }
}
