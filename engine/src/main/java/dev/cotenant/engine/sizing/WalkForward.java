package dev.cotenant.engine.sizing;

import dev.cotenant.domain.forecast.RecordedDevice;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.forecast.sizing.SizingModel;
import dev.cotenant.forecast.sizing.SizingRow;
import dev.cotenant.forecast.sizing.SizingTrainer;
import dev.cotenant.forecast.sizing.SizingWindows;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Recommends as of earlier instants, a window apart, from what was known then, and compares with
 * the window that followed. What a workload would have been recommended is what its largest pod
 * needs.
 */
final class WalkForward {
  private static final int MAX_MODELS = 4;
  private static final int MAX_ROWS = 3_000;
  private static final long SEED = 1;

  private final SizingWindows windows;
  private final Coverage level;
  private final List<RecordedDevice> pods;
  private final List<SizingRow> rows;
  private final Map<String, Score> scores = new HashMap<>();

  /**
   * Windows of a workload's pods.
   *
   * @param tested that were predicted
   * @param exceeded windows whose peak exceeded the recommendation
   */
  record Score(int tested, int exceeded) {
    static final Score NONE = new Score(0, 0);

    Score plus(boolean exceeds) {
      return new Score(tested + 1, exceeded + (exceeds ? 1 : 0));
    }
  }

  WalkForward(SizingWindows windows, Coverage level, List<RecordedDevice> pods) {
    this.windows = windows;
    this.level = level;
    this.pods = pods;
    rows = pods.stream().flatMap(pod -> windows.rows(pod).stream()).toList();
  }

  /** Pairs of windows that do not overlap, by which a probability is supported. */
  int disjoint() {
    long length = windows.length().toMillis();
    return (int)
        rows.stream()
            .map(row -> row.series() + " " + row.end().toEpochMilli() / length)
            .distinct()
            .count();
  }

  /** Model of the windows that ended by this time; null without any. */
  @Nullable SizingModel learned(Instant by) {
    List<SizingRow> known =
        rows.stream().filter(row -> !row.end().plus(windows.length()).isAfter(by)).toList();
    if (known.isEmpty()) {
      return null;
    }
    int every = Math.ceilDiv(known.size(), MAX_ROWS);
    List<SizingRow> some = new ArrayList<>();
    for (int i = 0; i < known.size(); i += every) {
      some.add(known.get(i));
    }
    return new SizingTrainer(level, SEED).train(some);
  }

  /** Scores by group, from the oldest instant to a window before {@code end}. */
  Map<String, Score> scores(Instant end) {
    List<Instant> cuts = new ArrayList<>();
    Instant first =
        rows.stream()
            .map(SizingRow::end)
            .min(Instant::compareTo)
            .orElse(end)
            .plus(windows.length());
    for (Instant at = end.minus(windows.length());
        !at.isBefore(first);
        at = at.minus(windows.length())) {
      cuts.addFirst(at);
    }
    int every = Math.max(1, Math.ceilDiv(cuts.size(), MAX_MODELS));
    SizingModel model = null;
    for (int i = 0; i < cuts.size(); i++) {
      model = i % every == 0 || model == null ? learned(cuts.get(i)) : model;
      if (model != null) {
        score(cuts.get(i), model);
      }
    }
    return scores;
  }

  private void score(Instant at, SizingModel model) {
    Map<String, Double> recommended = new HashMap<>();
    List<SizingRow> tested = new ArrayList<>();
    for (RecordedDevice pod : pods) {
      windows
          .past(pod, at)
          .ifPresent(past ->
              recommended.merge(
                  pod.group(),
                  Math.min((double) pod.capacity().bytes(), model.bytes(past)),
                  Math::max));
      windows.row(pod, at).ifPresent(tested::add);
    }
    for (SizingRow row : tested) {
      boolean exceeds = row.nextPeak() > recommended.getOrDefault(row.group(), 0.0);
      scores.merge(row.group(), Score.NONE.plus(exceeds), (all, _) -> all.plus(exceeds));
    }
  }
}
