package dev.cotenant.predictor.cache;

import dev.cotenant.domain.prediction.CalibrationGroup;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.predictor.correct.CorrectedTarget;
import dev.cotenant.predictor.correct.CorrectedTarget.LogBounds;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The measured runs of each configuration on a cluster, with bounds from how well runs repeat
 * there. Thread safe; independent of the order of runs.
 *
 * <p>Each namespace has a view of the shared runs and its own; no view contains the runs of another
 * namespace. In a configuration that several sources measured each source counts once, see {@link
 * MeasuredRun#source}: a namespace's own runs lower nothing that shared ones say.
 *
 * <p>A run counts for {@link #LIFETIME}. Of inference only memory is cached: its utilization
 * depends on the request rate.
 */
public final class MeasuredRunCache {
  /** A run says nothing any more when it is older: a quarter of a year. */
  public static final Duration LIFETIME = Duration.ofDays(90);

  /** Consecutive runs that deviate from earlier ones by this much indicate a change. */
  private static final double UTILIZATION_APART = 0.2;

  private static final double MEMORY_APART = 0.1;

  private static final MeasuredRunCache EMPTY = of(List.of(), Instant.EPOCH);

  private static final String SHARED = "";

  private final Map<String, Map<Configuration, List<MeasuredRun>>> byNamespace;
  private final View shared;
  private final Map<String, View> views = new ConcurrentHashMap<>();

  /**
   * The estimate and bounds of a target, in its log space, and on how many runs until when.
   *
   * @param confirmations number of independent sources that confirm it
   * @param group the repetitions whose deviations decided the bounds; null without own ones
   */
  record Recalled(
      LogBounds bounds,
      int runs,
      int confirmations,
      Instant last,
      @Nullable CalibrationGroup group) {
    Recalled with(LogBounds others) {
      return new Recalled(others, runs, confirmations, last, group);
    }
  }

  /**
   * What a namespace sees.
   *
   * @param byConfiguration configurations with runs of the namespace; for others the shared view
   *     applies
   */
  private record View(
      Map<Configuration, Map<CorrectedTarget, RunHistory>> byConfiguration,
      Map<CorrectedTarget, Repeatability> repeatability) {}

  private MeasuredRunCache(Map<String, Map<Configuration, List<MeasuredRun>>> byNamespace) {
    this.byNamespace = byNamespace;
    Map<Configuration, Map<CorrectedTarget, RunHistory>> everybodys =
        histories(byNamespace.getOrDefault(SHARED, Map.of()));
    this.shared = new View(everybodys, repeatability(everybodys.values()));
  }

  /** Of nothing. */
  public static MeasuredRunCache empty() {
    return EMPTY;
  }

  /** Cache of these runs at an instant, without suspected crashes. */
  public static MeasuredRunCache of(Collection<MeasuredRun> runs, Instant now) {
    Map<String, Map<Configuration, List<MeasuredRun>>> grouped = new HashMap<>();
    runs.stream()
        .filter(run -> run.row().quality() == ProfileRow.Quality.CLEAN)
        .filter(run -> !run.at().isBefore(now.minus(LIFETIME)))
        .forEach(run ->
            grouped
                .computeIfAbsent(run.namespace(), _ -> new HashMap<>())
                .computeIfAbsent(run.configuration(), _ -> new ArrayList<>())
                .add(run));
    grouped.values().forEach(some -> some.forEach((one, ofOne) -> ofOne.sort(order(one))));
    return new MeasuredRunCache(grouped);
  }

  /** The view of a namespace: the shared runs, and in configurations of its own its own as well. */
  private View in(String namespace) {
    return byNamespace.containsKey(namespace) && !namespace.equals(SHARED)
        ? views.computeIfAbsent(namespace, this::withOwn)
        : shared;
  }

  private View withOwn(String namespace) {
    Map<Configuration, List<MeasuredRun>> everybodys = byNamespace.getOrDefault(SHARED, Map.of());
    Map<Configuration, Map<CorrectedTarget, RunHistory>> own = new HashMap<>();
    byNamespace
        .getOrDefault(namespace, Map.of())
        .forEach((configuration, runs) -> {
          List<MeasuredRun> both = new ArrayList<>(runs);
          both.addAll(everybodys.getOrDefault(configuration, List.of()));
          own.put(configuration, histories(both));
        });
    List<Map<CorrectedTarget, RunHistory>> all = new ArrayList<>(own.values());
    shared.byConfiguration.forEach((configuration, histories) -> {
      if (!own.containsKey(configuration)) {
        all.add(histories);
      }
    });
    return new View(own, repeatability(all));
  }

  private static Map<Configuration, Map<CorrectedTarget, RunHistory>> histories(
      Map<Configuration, List<MeasuredRun>> runs) {
    Map<Configuration, Map<CorrectedTarget, RunHistory>> histories = new HashMap<>();
    runs.forEach((configuration, some) -> histories.put(configuration, histories(some)));
    return histories;
  }

  private static Map<CorrectedTarget, Repeatability> repeatability(
      Collection<Map<CorrectedTarget, RunHistory>> histories) {
    Map<CorrectedTarget, Repeatability> repeatability = new EnumMap<>(CorrectedTarget.class);
    repeatability.put(
        CorrectedTarget.UTILIZATION,
        Repeatability.ofUtilization(all(histories, CorrectedTarget.UTILIZATION)));
    repeatability.put(
        CorrectedTarget.PEAK_MEMORY,
        Repeatability.ofMemory(all(histories, CorrectedTarget.PEAK_MEMORY)));
    return repeatability;
  }

  /**
   * By time. Runs of one instant are ordered by a hash of their figures, so that the order of
   * reading does not matter; in the order of figures, each would exceed the last.
   */
  private static Comparator<MeasuredRun> order(Configuration configuration) {
    int salt = String.valueOf(configuration.features()).hashCode();
    return Comparator.comparing(MeasuredRun::at)
        .thenComparingInt(run -> shuffled(salt + figures(run).hashCode()))
        .thenComparing(MeasuredRunCache::figures);
  }

  private static String figures(MeasuredRun run) {
    return String.valueOf(run.row().measurement());
  }

  /** The finalizer of MurmurHash3 [Appleby, 2011]: each bit depends on all. */
  private static int shuffled(int hash) {
    int mixed = (hash ^ (hash >>> 16)) * 0x85ebca6b;
    mixed = (mixed ^ (mixed >>> 13)) * 0xc2b2ae35;
    return mixed ^ (mixed >>> 16);
  }

  /** Of shared runs and those of one namespace, which count as one opinion each. */
  private static Map<CorrectedTarget, RunHistory> histories(List<MeasuredRun> runs) {
    Map<CorrectedTarget, RunHistory> histories = new EnumMap<>(CorrectedTarget.class);
    for (CorrectedTarget target : CorrectedTarget.values()) {
      Map<Source, List<RunHistory.Dated>> bySource = new LinkedHashMap<>();
      for (MeasuredRun run : runs) {
        measured(target, run.row())
            .ifPresent(value ->
                bySource
                    .computeIfAbsent(Source.of(run), _ -> new ArrayList<>())
                    .add(new RunHistory.Dated(value, run.at())));
      }
      List<RunHistory> own = new ArrayList<>();
      List<RunHistory> others = new ArrayList<>();
      bySource.forEach((source, values) ->
          (source.isShared() ? others : own)
              .add(RunHistory.of(values, apart(target), source.isEachConfirming())));
      if (!others.isEmpty()) {
        own.add(RunHistory.together(others));
      }
      if (!own.isEmpty()) {
        histories.put(target, RunHistory.together(own));
      }
    }
    return histories;
  }

  /** Who says so: a namespace of itself, or one of those who add shared runs. */
  private record Source(String namespace, String name) {
    static Source of(MeasuredRun run) {
      return new Source(run.namespace(), run.namespace().equals(SHARED) ? run.source() : "");
    }

    boolean isShared() {
      return namespace.equals(SHARED);
    }

    /** A namespace's own runs harm itself alone; a recording invents nothing. */
    boolean isEachConfirming() {
      return name.isEmpty();
    }
  }

  private static OptionalDouble measured(CorrectedTarget target, ProfileRow row) {
    boolean isTraining = row.settings().mode() == ExecutionMode.TRAINING;
    boolean isLeftOut =
        switch (target) {
          case UTILIZATION -> !isTraining; // how busy a server is is up to requests
          case PEAK_MEMORY -> isTraining && hadNotBegun(row);
        };
    return isLeftOut ? OptionalDouble.empty() : target.measured(row);
  }

  /**
   * Whether less than half of the weights were on the device, which is all of them in half
   * precision.
   */
  private static boolean hadNotBegun(ProfileRow row) {
    MemorySize peak = row.peakMemory();
    return peak != null && peak.bytes() < row.features().modelSize().bytes() / 2;
  }

  private static double apart(CorrectedTarget target) {
    return switch (target) {
      case UTILIZATION -> UTILIZATION_APART;
      case PEAK_MEMORY -> MEMORY_APART;
    };
  }

  private static List<RunHistory> all(
      Collection<Map<CorrectedTarget, RunHistory>> histories, CorrectedTarget target) {
    List<RunHistory> all = new ArrayList<>();
    for (Map<CorrectedTarget, RunHistory> one : histories) {
      RunHistory history = one.get(target);
      if (history != null) {
        all.add(history);
      }
    }
    return all;
  }

  /** How many configurations are cached, of each namespace and of the shared scope. */
  public int configurations() {
    return byNamespace.values().stream().mapToInt(Map::size).sum();
  }

  private static Repeatability repeatability(View view, CorrectedTarget target) {
    Repeatability found = view.repeatability.get(target);
    if (found == null) {
      throw new IllegalStateException("every target has one, " + target + " has none");
    }
    return found;
  }

  /** The runs of a target that a namespace sees; null where it was not measured. */
  @Nullable Recalled recall(String namespace, Configuration configuration, CorrectedTarget target) {
    View view = in(namespace);
    Map<CorrectedTarget, RunHistory> own = view.byConfiguration.get(configuration);
    Map<CorrectedTarget, RunHistory> found =
        own == null ? shared.byConfiguration.get(configuration) : own;
    RunHistory history = found == null ? null : found.get(target);
    if (history == null) {
      return null;
    }
    Repeatability spread = repeatability(view, target);
    double estimate = history.estimate();
    LogBounds bounds =
        new LogBounds(
            estimate,
            Math.min(history.lowest(), estimate - spread.below()),
            Math.max(history.highest(), estimate + spread.above()));
    return new Recalled(
        bounds, history.runs(), history.confirmations(), history.last(), spread.group());
  }
}
