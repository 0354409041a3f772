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
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * The measured runs of each configuration on a cluster, with bounds from how well runs repeat
 * there. Immutable, thread safe; the same runs in any order give the same memory.
 *
 * <p>A run counts for {@link #LIFETIME}. Of inference only memory is cached: its utilization
 * depends on the request rate.
 */
public final class MeasuredRunCache {
  /** A run says nothing any more when it is older: a quarter of a year. */
  public static final Duration LIFETIME = Duration.ofDays(90);

  /** Runs in a row so far from those before say that something has changed. */
  private static final double UTILIZATION_APART = 0.2;

  private static final double MEMORY_APART = 0.1;

  private static final MeasuredRunCache EMPTY = of(List.of(), Instant.EPOCH);

  private final Map<Configuration, Map<CorrectedTarget, RunHistory>> byConfiguration;
  private final Map<CorrectedTarget, Repeatability> repeatability;

  /**
   * The estimate and bounds of a target, in its log space, and on how many runs until when.
   *
   * @param group the repetitions whose deviations decided the bounds; null without own ones
   */
  record Recalled(LogBounds bounds, int runs, Instant last, @Nullable CalibrationGroup group) {
    Recalled with(LogBounds others) {
      return new Recalled(others, runs, last, group);
    }
  }

  private MeasuredRunCache(
      Map<Configuration, Map<CorrectedTarget, RunHistory>> byConfiguration,
      Map<CorrectedTarget, Repeatability> repeatability) {
    this.byConfiguration = byConfiguration;
    this.repeatability = repeatability;
  }

  /** Of nothing. */
  public static MeasuredRunCache empty() {
    return EMPTY;
  }

  /** Of these runs, as of now; suspected crashes count for nothing. */
  public static MeasuredRunCache of(Collection<MeasuredRun> runs, Instant now) {
    Map<Configuration, List<MeasuredRun>> grouped = new HashMap<>();
    runs.stream()
        .filter(run -> run.row().quality() == ProfileRow.Quality.CLEAN)
        .filter(run -> !run.at().isBefore(now.minus(LIFETIME)))
        .forEach(
            run -> grouped.computeIfAbsent(run.configuration(), _ -> new ArrayList<>()).add(run));
    Map<Configuration, Map<CorrectedTarget, RunHistory>> histories = new HashMap<>();
    grouped.forEach((configuration, ofOne) -> {
      ofOne.sort(order(configuration));
      histories.put(configuration, histories(ofOne));
    });
    Map<CorrectedTarget, Repeatability> repeatability = new EnumMap<>(CorrectedTarget.class);
    repeatability.put(
        CorrectedTarget.UTILIZATION,
        Repeatability.ofUtilization(all(histories, CorrectedTarget.UTILIZATION)));
    repeatability.put(
        CorrectedTarget.PEAK_MEMORY,
        Repeatability.ofMemory(all(histories, CorrectedTarget.PEAK_MEMORY)));
    return new MeasuredRunCache(histories, repeatability);
  }

  /**
   * By time. Runs of one instant are ordered by what was measured, so that the order in which they
   * were read is no matter: shuffled by a hash, for in the order of figures each would surprise by
   * being higher.
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

  private static Map<CorrectedTarget, RunHistory> histories(List<MeasuredRun> runs) {
    Map<CorrectedTarget, RunHistory> histories = new EnumMap<>(CorrectedTarget.class);
    for (CorrectedTarget target : CorrectedTarget.values()) {
      List<RunHistory.Dated> values = new ArrayList<>();
      for (MeasuredRun run : runs) {
        measured(target, run.row())
            .ifPresent(value -> values.add(new RunHistory.Dated(value, run.at())));
      }
      if (!values.isEmpty()) {
        histories.put(target, RunHistory.of(values, apart(target)));
      }
    }
    return histories;
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

  /** Not even half of the weights were on the device, which is all of them in half precision. */
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
      Map<Configuration, Map<CorrectedTarget, RunHistory>> histories, CorrectedTarget target) {
    List<RunHistory> all = new ArrayList<>();
    for (Map<CorrectedTarget, RunHistory> one : histories.values()) {
      RunHistory history = one.get(target);
      if (history != null) {
        all.add(history);
      }
    }
    return all;
  }

  /** How many configurations are cached. */
  public int configurations() {
    return byConfiguration.size();
  }

  /** How many repetitions of a target were held against what was known before them. */
  public int checks(CorrectedTarget target) {
    return repeatability(target).checks();
  }

  private Repeatability repeatability(CorrectedTarget target) {
    Repeatability found = repeatability.get(target);
    if (found == null) {
      throw new IllegalStateException("every target has one, " + target + " has none");
    }
    return found;
  }

  /** The runs of a target; null where it was not measured. */
  @Nullable Recalled recall(Configuration configuration, CorrectedTarget target) {
    Map<CorrectedTarget, RunHistory> found = byConfiguration.get(configuration);
    RunHistory history = found == null ? null : found.get(target);
    if (history == null) {
      return null;
    }
    Repeatability spread = repeatability(target);
    double estimate = history.estimate();
    LogBounds bounds =
        new LogBounds(
            estimate,
            Math.min(history.lowest(), estimate - spread.below()),
            Math.max(history.highest(), estimate + spread.above()));
    return new Recalled(bounds, history.runs(), history.last(), spread.group());
  }
}
