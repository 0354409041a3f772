package dev.cotenant.predictor.remember;

import dev.cotenant.domain.prediction.MeasuredHere;
import dev.cotenant.domain.profile.ProfileRow;
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
 * What was measured of each configuration that ran on a cluster, with bounds from how well runs
 * repeat there. Immutable, thread safe; the same runs in any order give the same memory.
 *
 * <p>A run counts for {@link #LIFETIME}. Of inference only memory is remembered: how busy it keeps
 * a GPU is up to who asks.
 */
public final class RunMemory {
  /** A run says nothing any more when it is older: a quarter of a year. */
  public static final Duration LIFETIME = Duration.ofDays(90);

  /** Two runs in a row so far from those before say that something has changed. */
  private static final double UTILIZATION_APART = 0.2;

  private static final double MEMORY_APART = 0.1;

  private static final RunMemory EMPTY = of(List.of(), Instant.EPOCH);

  private final Map<Configuration, Remembered> byConfiguration;
  private final Map<CorrectedTarget, Repeatability> repeatability;

  /** What is known of one configuration. */
  private record Remembered(Map<CorrectedTarget, RunHistory> histories, Instant last) {}

  /** The estimate and bounds of a target, in its log space. */
  record Recalled(LogBounds bounds, MeasuredHere from) {}

  private RunMemory(
      Map<Configuration, Remembered> byConfiguration,
      Map<CorrectedTarget, Repeatability> repeatability) {
    this.byConfiguration = byConfiguration;
    this.repeatability = repeatability;
  }

  /** Of nothing. */
  public static RunMemory empty() {
    return EMPTY;
  }

  /** Of these runs, as of now; suspected crashes count for nothing. */
  public static RunMemory of(Collection<MeasuredRun> runs, Instant now) {
    Map<Configuration, List<MeasuredRun>> grouped = new HashMap<>();
    runs.stream()
        .filter(run -> run.row().quality() == ProfileRow.Quality.CLEAN)
        .filter(run -> !run.at().isBefore(now.minus(LIFETIME)))
        .sorted(Comparator.comparing(MeasuredRun::at).thenComparing(RunMemory::figures))
        .forEach(
            run -> grouped.computeIfAbsent(run.configuration(), _ -> new ArrayList<>()).add(run));
    Map<Configuration, Remembered> remembered = new HashMap<>();
    grouped.forEach((configuration, ofOne) ->
        remembered.put(configuration, new Remembered(histories(ofOne), ofOne.getLast().at())));
    Map<CorrectedTarget, Repeatability> repeatability = new EnumMap<>(CorrectedTarget.class);
    repeatability.put(
        CorrectedTarget.UTILIZATION,
        Repeatability.ofUtilization(all(remembered, CorrectedTarget.UTILIZATION)));
    repeatability.put(
        CorrectedTarget.PEAK_MEMORY,
        Repeatability.ofMemory(all(remembered, CorrectedTarget.PEAK_MEMORY)));
    return new RunMemory(remembered, repeatability);
  }

  /** Runs of one instant are told apart by what was measured, so that their order is no matter. */
  private static String figures(MeasuredRun run) {
    return String.valueOf(run.row().measurement());
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
    boolean isUpToRequests =
        target == CorrectedTarget.UTILIZATION && row.settings().mode() == ExecutionMode.INFERENCE;
    return isUpToRequests ? OptionalDouble.empty() : target.measured(row);
  }

  private static double apart(CorrectedTarget target) {
    return switch (target) {
      case UTILIZATION -> UTILIZATION_APART;
      case PEAK_MEMORY -> MEMORY_APART;
    };
  }

  private static List<RunHistory> all(
      Map<Configuration, Remembered> remembered, CorrectedTarget target) {
    List<RunHistory> all = new ArrayList<>();
    for (Remembered one : remembered.values()) {
      RunHistory history = one.histories.get(target);
      if (history != null) {
        all.add(history);
      }
    }
    return all;
  }

  /** How many configurations are remembered. */
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

  /** What is remembered of a target; null where it was not measured. */
  @Nullable Recalled recall(Configuration configuration, CorrectedTarget target) {
    Remembered found = byConfiguration.get(configuration);
    RunHistory history = found == null ? null : found.histories.get(target);
    if (found == null || history == null) {
      return null;
    }
    Repeatability spread = repeatability(target);
    double estimate = history.estimate();
    LogBounds bounds =
        new LogBounds(
            estimate,
            Math.min(history.lowest(), estimate - spread.below()),
            Math.max(history.highest(), estimate + spread.above()));
    return new Recalled(bounds, new MeasuredHere(history.runs(), found.last));
  }
}
