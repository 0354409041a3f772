package dev.cotenant.engine.cluster;

import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.MemoryObservation;
import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.forecast.prometheus.DroppedSamples;
import dev.cotenant.forecast.prometheus.MetricsReading;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The newest good readings of a metrics server. A poller calls {@link #refresh}; callers get the
 * newest readings at once, with ages that grow while the server is silent.
 */
public final class PolledReadings implements ReadingsSource {
  /*
   * A state is replaced as a whole, so a request sees one reading and never waits for the next. What
   * a failed or partial answer lacks stays with its own sample times: it grows old, is stale after
   * the limit, and is forgotten after FORGOTTEN_AFTER. Ages are made on each read, in time linear in
   * the GPUs; forecasts only when read.
   */

  /** A GPU unseen for so long was taken away. */
  private static final Duration FORGOTTEN_AFTER = Duration.ofHours(1);

  private static final Duration REPEATED_FOR = Duration.ofSeconds(1);

  private final Function<Instant, MetricsReading> server;
  private final MetricsTranslator translator;
  private final SnapshotAssembler assembler;
  private final String description;
  private final InstantSource clock;
  private volatile State state = State.EMPTY;
  private volatile @Nullable Aged aged;

  /**
   * One refresh.
   *
   * @param failure empty where metrics were read
   * @param problems one line per GPU with a problem
   */
  public record Polled(
      List<MetricsReading.Failed> failure, DroppedSamples dropped, List<String> problems) {
    public Polled {
      failure = List.copyOf(failure);
      problems = List.copyOf(problems);
    }
  }

  private record Seen(GpuReading reading, Instant at) {}

  private record State(
      Map<String, Seen> seen,
      ClusterSnapshot snapshot,
      Map<String, GpuSnapshot> byUuid,
      Optional<Instant> readAt) {
    static State of(Map<String, Seen> seen, ClusterSnapshot snapshot) {
      Map<String, GpuSnapshot> byUuid = new HashMap<>();
      snapshot.gpus().forEach(gpu -> byUuid.put(gpu.uuid(), gpu));
      return new State(seen, snapshot, byUuid, Optional.of(snapshot.takenAt()));
    }

    static final State EMPTY =
        new State(
            Map.of(), new ClusterSnapshot(Instant.EPOCH, List.of()), Map.of(), Optional.empty());

    List<GpuReading> readings() {
      return seen.values().stream().map(Seen::reading).toList();
    }
  }

  /**
   * @param server reads everything as of an instant; may block
   * @param description of the server, for people
   */
  public PolledReadings(
      Function<Instant, MetricsReading> server,
      MetricsTranslator translator,
      SnapshotAssembler assembler,
      String description,
      InstantSource clock) {
    this.server = server;
    this.translator = translator;
    this.assembler = assembler;
    this.description = description;
    this.clock = clock;
  }

  /** Reads the server once and replaces the readings; a failure keeps the old ones. */
  public Polled refresh() {
    Instant now = clock.instant();
    return switch (server.apply(now)) {
      case MetricsReading.Failed failed ->
          new Polled(List.of(failed), DroppedSamples.NONE, List.of());
      case MetricsReading.Fetched fetched -> {
        MetricsTranslator.Translation translation = translator.translate(fetched.devices());
        take(now, translation.readings());
        yield new Polled(List.of(), fetched.dropped(), translation.problems());
      }
    };
  }

  private void take(Instant now, List<GpuReading> readings) {
    Map<String, Seen> seen = new TreeMap<>();
    state.seen.forEach((uuid, before) -> {
      if (before.at.isAfter(now.minus(FORGOTTEN_AFTER))) {
        seen.put(uuid, before);
      }
    });
    for (GpuReading reading : readings) {
      Seen before = seen.get(reading.uuid());
      boolean lostItsSeries = reading.usedMemory().isEmpty() && before != null;
      seen.put(reading.uuid(), lostItsSeries ? before : new Seen(reading, now));
    }
    List<GpuReading> all = seen.values().stream().map(Seen::reading).toList();
    state = State.of(seen, assembler.assemble(now, all));
  }

  @Override
  public String kind() {
    return "prometheus";
  }

  @Override
  public String description() {
    return description;
  }

  @Override
  public Optional<Instant> readAt() {
    return state.readAt;
  }

  @Override
  public Instant now() {
    return clock.instant();
  }

  /** Current snapshot; all reads within a second return the same object. */
  @Override
  public ClusterSnapshot snapshot() {
    State newest = state;
    Instant now = clock.instant();
    Aged last = aged;
    if (last != null && last.isOf(newest) && !last.isOld(now)) {
      return last.snapshot;
    }
    Duration passed = Duration.between(newest.snapshot.takenAt(), now);
    List<GpuSnapshot> gpus = new ArrayList<>(newest.snapshot.gpus().size());
    for (GpuSnapshot gpu : newest.snapshot.gpus()) {
      gpus.add(gpu.withMemory(aged(gpu.memory(), passed)));
    }
    ClusterSnapshot snapshot = new ClusterSnapshot(now, gpus);
    aged = new Aged(newest, snapshot);
    return snapshot;
  }

  /** A reading as it looked a while later. */
  private record Aged(State of, ClusterSnapshot snapshot) {
    @SuppressWarnings("ReferenceEquality") // whether it is the same one, not one like it
    boolean isOf(State reading) {
      return of == reading;
    }

    boolean isOld(Instant now) {
      Duration passed = Duration.between(snapshot.takenAt(), now);
      return passed.isNegative() || passed.compareTo(REPEATED_FOR) >= 0;
    }
  }

  private MemoryObservation aged(MemoryObservation observation, Duration passed) {
    return switch (observation) {
      case MemoryObservation.Measured m ->
          assembler
              .stale(m.age().plus(passed))
              .orElseGet(() ->
                  new MemoryObservation.Measured(
                      m.lastUsed(),
                      m.windowPeak(),
                      m.age().plus(passed),
                      m.window().plus(passed),
                      m.forecasts(),
                      m.grantsBeyond()));
      case MemoryObservation.Stale(Duration age, Duration limit) ->
          new MemoryObservation.Stale(age.plus(passed), limit);
      case MemoryObservation.Unmeasured unmeasured -> unmeasured;
    };
  }

  @Override
  public List<GpuReading> readings() {
    return state.readings();
  }

  @Override
  public Optional<GpuSnapshot> find(String uuid) {
    State newest = state;
    Duration passed = Duration.between(newest.snapshot.takenAt(), clock.instant());
    return Optional.ofNullable(newest.byUuid.get(uuid))
        .map(gpu -> gpu.withMemory(aged(gpu.memory(), passed)));
  }

  @Override
  public Optional<Duration> forecastAge() {
    return state.readAt.map(at -> Duration.between(at, clock.instant()));
  }

  @Override
  public Optional<Duration> age(String uuid) {
    return Optional.ofNullable(state.seen.get(uuid))
        .flatMap(seen -> seen.reading.usedMemory().last())
        .map(MemorySample::at)
        .map(at -> Duration.between(at, clock.instant()));
  }
}
