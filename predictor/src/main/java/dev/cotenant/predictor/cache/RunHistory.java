package dev.cotenant.predictor.cache;

import java.time.Instant;
import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * What one target was measured to be in the runs of one configuration, in log space and in the
 * order of time. Immutable.
 */
final class RunHistory {
  /*
   * Too low an answer is the dangerous one, and one wild run in three or more must not matter. The
   * estimate is the upper median: of two runs the higher, of three the middle. The highest run, once
   * there are three, may lie above the upper bound; a second that high is accepted.
   *
   * When runs in a row agree with each other and lie on one side of the estimate of those before,
   * further than repetitions do, the configuration behaves otherwise from then on (another driver,
   * another data set) and what was before is forgotten. Two suffice when they are higher; three are
   * needed when they are lower, for a job that is run in two ways would seem to have become
   * small. Runs of one instant have no order, so that they are no change. What
   * a change surprised by stays counted: bounds cover the runs that came, not only the current ones.
   *
   * Runs of several sources are first summed up by source, and then each source counts once, by the
   * same rules as a run: who repeats a figure a thousand times has one vote, and of two sources that
   * contradict each other the higher counts.
   */
  private static final int MAX_RUNS = 20;
  private static final int CONSIDERED = 2 * MAX_RUNS;
  private static final int RUNS_TO_EXCLUDE_ONE = 3;
  private static final int RUNS_OF_A_RISE = 2;
  private static final int RUNS_OF_A_FALL = 3;

  private final double estimate;
  private final double lowest;
  private final double highest;
  private final int runs;
  private final int confirmations;
  private final List<Double> surprises;
  private final Instant last;

  /** A value and when it became known. */
  record Dated(double value, Instant at) {}

  private RunHistory(List<Dated> current, List<Double> surprises, boolean isEachConfirming) {
    List<Double> values = values(current);
    estimate = upperMedian(values);
    lowest = secondLowest(values);
    highest = secondHighest(values);
    runs = values.size();
    confirmations = isEachConfirming ? runs : 1;
    this.surprises = List.copyOf(surprises);
    last = current.getLast().at;
  }

  private RunHistory(List<RunHistory> sources) {
    estimate = upperMedian(each(sources, source -> source.estimate));
    lowest = secondLowest(each(sources, source -> source.lowest));
    highest = secondHighest(each(sources, source -> source.highest));
    runs = sources.stream().mapToInt(source -> source.runs).sum();
    confirmations = sources.stream().mapToInt(source -> source.confirmations).sum();
    last = sources.stream().map(source -> source.last).max(Instant::compareTo).orElseThrow();
    surprises = inTurn(sources);
  }

  private static List<Double> each(List<RunHistory> sources, ToDoubleFunction<RunHistory> value) {
    return sources.stream().mapToDouble(value).boxed().toList();
  }

  /** The surprises of all sources, the newest of each last. */
  private static List<Double> inTurn(List<RunHistory> sources) {
    List<Double> all = new ArrayList<>();
    int most = sources.stream().mapToInt(source -> source.surprises.size()).max().orElse(0);
    for (int fromEnd = most; fromEnd > 0; fromEnd--) {
      for (RunHistory source : sources) {
        int at = source.surprises.size() - fromEnd;
        if (at >= 0) {
          all.add(source.surprises.get(at));
        }
      }
    }
    return List.copyOf(all);
  }

  /**
   * Of at least one source.
   *
   * @param sources runs of one configuration by source
   */
  static RunHistory together(List<RunHistory> sources) {
    return sources.size() == 1 ? sources.getFirst() : new RunHistory(sources);
  }

  /**
   * Of at least one value.
   *
   * @param apart by how much runs in a row differ from those before when something has changed
   * @param isEachConfirming whether each run confirms the others; else all are one source's word
   */
  static RunHistory of(List<Dated> inOrder, double apart, boolean isEachConfirming) {
    List<Dated> current = new ArrayList<>();
    List<Double> surprises = new ArrayList<>();
    for (Dated run : inOrder.subList(Math.max(0, inOrder.size() - CONSIDERED), inOrder.size())) {
      if (!current.isEmpty()) {
        surprises.add(run.value - upperMedian(values(current)));
      }
      current.add(run);
      forget(current, apart);
    }
    return new RunHistory(current, surprises, isEachConfirming);
  }

  private static void forget(List<Dated> current, double apart) {
    int higher = current.size() - RUNS_OF_A_RISE;
    int lower = current.size() - RUNS_OF_A_FALL;
    if (isChange(current, higher, apart) && isHigher(current, higher)) {
      current.subList(0, higher).clear();
    } else if (isChange(current, lower, apart) && !isHigher(current, lower)) {
      current.subList(0, lower).clear();
    } else if (current.size() > MAX_RUNS) {
      current.removeFirst();
    }
  }

  private static boolean isHigher(List<Dated> current, int before) {
    return current.get(before).value > upperMedian(values(current.subList(0, before)));
  }

  /** Whether all later runs agree with each other and differ from the earlier ones. */
  private static boolean isChange(List<Dated> current, int before, double apart) {
    if (before <= 0 || !current.get(before).at.isAfter(current.get(before - 1).at)) {
      return false;
    }
    double usual = upperMedian(values(current.subList(0, before)));
    DoubleSummaryStatistics since =
        current.subList(before, current.size()).stream()
            .mapToDouble(Dated::value)
            .summaryStatistics();
    return since.getMax() - since.getMin() <= apart
        && (since.getMin() - usual > apart || usual - since.getMax() > apart);
  }

  private static List<Double> values(List<Dated> runs) {
    return runs.stream().map(Dated::value).toList();
  }

  int runs() {
    return runs;
  }

  /** How many say so who could not all be one: runs, or sources. */
  int confirmations() {
    return confirmations;
  }

  /** What to expect of the next run. */
  double estimate() {
    return estimate;
  }

  /** What the upper bound has to reach at least. */
  double highest() {
    return highest;
  }

  private static double secondHighest(List<Double> values) {
    List<Double> sorted = values.stream().sorted().toList();
    int place = sorted.size() >= RUNS_TO_EXCLUDE_ONE ? sorted.size() - 2 : sorted.size() - 1;
    return sorted.get(place);
  }

  /** What the lower bound has to reach at least. */
  double lowest() {
    return lowest;
  }

  private static double secondLowest(List<Double> values) {
    return values.stream().sorted().toList().get(values.size() >= RUNS_TO_EXCLUDE_ONE ? 1 : 0);
  }

  /** When the newest became known. */
  Instant last() {
    return last;
  }

  /**
   * By how much each of the newest runs was above what was expected when it came, those that were
   * forgotten since included.
   */
  List<Double> surprises(int newest) {
    return surprises.subList(Math.max(0, surprises.size() - newest), surprises.size());
  }

  private static double upperMedian(List<Double> values) {
    return values.stream().sorted().toList().get(values.size() / 2);
  }
}
