package dev.cotenant.admission.gate.cycle;

import dev.cotenant.domain.decision.EngineStart;
import dev.cotenant.domain.quantity.MemorySize;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The order in which servers of language models start on a GPU.
 *
 * <p>Such a server reads at its start how much memory is free, and takes its share of it. Two that
 * start at once count each other's memory and fail, or take too little [vLLM issue 10451]. So the
 * next one waits until the memory of the last one has settled: it serves, as its metrics or its log
 * say, or the samples of a window of its run lie within a tolerance, three of them at least, with
 * nine tenths of its predicted memory in use. It waits for at most a timeout from its grant, and
 * once more from its start.
 */
final class EngineStarts {
  private static final int MAX_SAMPLES = 256;
  private static final int MIN_SAMPLES = 3;
  private static final double SHARE_OF_PREDICTED = 0.9;

  private final Rules rules;
  private final Map<String, Deque<Sample>> samples = new HashMap<>();
  private final Map<String, Long> baselines = new HashMap<>();
  private final Map<String, Instant> served = new HashMap<>();
  private final Set<String> settled = new HashSet<>();
  private final Set<String> shown = new HashSet<>();

  /**
   * When memory has settled.
   *
   * @param window of samples, longer where they are rare
   * @param timeout longest wait
   * @param tolerance largest difference of the samples of the window
   */
  record Rules(Duration window, Duration timeout, MemorySize tolerance) {
    /** One minute within 256 MiB; at most ten minutes. */
    static final Rules DEFAULT =
        new Rules(Duration.ofMinutes(1), Duration.ofMinutes(10), MemorySize.ofMiB(256));
  }

  private record Sample(Instant at, long usedBytes) {}

  /**
   * A server with a grant.
   *
   * @param key of its grant
   * @param pod its name
   * @param grantedAt time of the grant
   * @param startedAt when its containers started; null where that is not known
   * @param predicted mean of the memory that it takes
   * @param others upper bound of what the other grants of its GPU take
   */
  record Server(
      String key,
      String pod,
      Instant grantedAt,
      @Nullable Instant startedAt,
      MemorySize predicted,
      MemorySize others) {}

  EngineStarts(Rules rules) {
    this.rules = rules;
  }

  /**
   * A sample of a GPU's used memory.
   *
   * @param servers with a grant there
   */
  void sampled(String gpu, Instant at, MemorySize used, List<Server> servers) {
    Deque<Sample> known = samples.computeIfAbsent(gpu, _ -> new ArrayDeque<>());
    if (known.isEmpty() || known.getLast().at().isBefore(at)) {
      known.add(new Sample(at, used.bytes()));
    }
    int most = servers.isEmpty() ? 1 : MAX_SAMPLES;
    while (known.size() > most) {
      known.removeFirst();
    }
    for (Server server : servers) {
      Instant started = server.startedAt();
      if (started != null) {
        baselines.computeIfAbsent(server.key(), _ -> usedBefore(server, started, known));
        Instant since = served.get(server.key());
        if ((since != null && at.isAfter(since)) || hasSettled(gpu, server)) {
          shown.add(server.key());
        }
      }
    }
  }

  /**
   * The newest sample before a start, which may be known late. Without a sample, as in a new
   * leader, the upper bound of the other tenants' grants.
   */
  private static long usedBefore(Server server, Instant started, Deque<Sample> known) {
    long before = server.others().bytes();
    for (Sample sample : known) {
      if (sample.at().isBefore(started)) {
        before = sample.usedBytes();
      }
    }
    return before;
  }

  /** A server serves, so that its memory has settled; nothing where it started later. */
  void serves(Server server, Instant at) {
    Instant started = server.startedAt();
    if (started != null && !at.isBefore(started)) {
      settled.add(server.key());
      served.putIfAbsent(server.key(), at);
    }
  }

  /** Whether samples show all memory of a server: one since it serves, or those that settled. */
  boolean isShown(Server server) {
    return shown.contains(server.key());
  }

  /** The server of a GPU for whose memory the next one waits; empty where it may start. */
  Optional<Server> unsettled(String gpu, List<Server> servers, Instant now) {
    return servers.stream().filter(server -> !isSettled(gpu, server, now)).findFirst();
  }

  private boolean isSettled(String gpu, Server server, Instant now) {
    if (settled.contains(server.key())) {
      return true;
    }
    boolean is = !now.isBefore(deadline(server)) || hasSettled(gpu, server);
    if (is && server.startedAt() != null) {
      settled.add(server.key());
    }
    return is;
  }

  private boolean hasSettled(String gpu, Server server) {
    Instant started = server.startedAt();
    Deque<Sample> known = samples.get(gpu);
    if (started == null || known == null || known.isEmpty()) {
      return false;
    }
    Sample newest = known.getLast();
    List<Sample> window = window(known);
    Sample oldest = window.getLast();
    Long baseline = baselines.get(server.key());
    long own =
        newest.usedBytes() - (baseline == null ? usedBefore(server, started, known) : baseline);
    return !oldest.at().isBefore(started)
        && !oldest.at().isAfter(newest.at().minus(rules.window()))
        && window.size() >= MIN_SAMPLES
        && spread(window) <= rules.tolerance().bytes()
        && own >= SHARE_OF_PREDICTED * server.predicted().bytes();
  }

  /** The newest samples that span the window, three at least; the newest first. */
  private List<Sample> window(Deque<Sample> known) {
    List<Sample> window = new ArrayList<>();
    Iterator<Sample> older = known.descendingIterator();
    while (older.hasNext()) {
      window.add(older.next());
      Instant from = window.getFirst().at().minus(rules.window());
      if (window.size() >= MIN_SAMPLES && !window.getLast().at().isAfter(from)) {
        return window;
      }
    }
    return window;
  }

  private static long spread(List<Sample> window) {
    var statistics = window.stream().mapToLong(Sample::usedBytes).summaryStatistics();
    return statistics.getMax() - statistics.getMin();
  }

  /** When a server is no longer waited for. */
  Instant deadline(Server server) {
    Instant started = server.startedAt();
    return (started == null ? server.grantedAt() : started).plus(rules.timeout());
  }

  /** Why the next server waits for this one. */
  EngineStart reason(String gpu, Server server, Instant now) {
    List<Sample> window = window(samples.getOrDefault(gpu, new ArrayDeque<>()));
    Instant since = server.startedAt() == null ? server.grantedAt() : server.startedAt();
    return new EngineStart(
        server.pod(),
        server.startedAt() != null,
        Duration.between(since, now),
        MemorySize.ofBytes(window.isEmpty() ? 0 : spread(window)),
        rules.window(),
        rules.timeout());
  }

  /** Forgets grants that have ended. */
  void keepOnly(Set<String> keys) {
    settled.retainAll(keys);
    shown.retainAll(keys);
    served.keySet().retainAll(keys);
    baselines.keySet().retainAll(keys);
  }
}
