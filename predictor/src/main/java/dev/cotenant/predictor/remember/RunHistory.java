package dev.cotenant.predictor.remember;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * What one target was measured to be in the runs of one configuration, in log space and in the
 * order of time. Immutable.
 */
final class RunHistory {
  /*
   * Too low an answer is the dangerous one, and one wild run in three or more must not matter. The
   * estimate is the upper median: of two runs the higher, of three the middle. The highest run, once
   * there are three, may lie above the upper bound; a second that high is believed.
   *
   * When two runs in a row agree with each other and lie on one side of the estimate of those
   * before, further than repetitions do, the configuration behaves otherwise from then on (another
   * driver, another data set) and what was before is forgotten. Of runs that came at one instant nobody
   * knows the order, so that they are no change.
   */
  private static final int NEWEST = 20;
  private static final int CONSIDERED = 2 * NEWEST;
  private static final int ENOUGH_TO_DOUBT_ONE = 3;

  private final List<Double> values;

  /** A value and when it became known. */
  record Dated(double value, Instant at) {}

  private RunHistory(List<Double> values) {
    this.values = List.copyOf(values);
  }

  /**
   * Of at least one value.
   *
   * @param apart by how much two runs in a row differ from those before when something has changed
   */
  static RunHistory of(List<Dated> inOrder, double apart) {
    List<Dated> kept = new ArrayList<>();
    for (Dated run : inOrder.subList(Math.max(0, inOrder.size() - CONSIDERED), inOrder.size())) {
      kept.add(run);
      int before = kept.size() - 2;
      if (before > 0 && hasChanged(kept, before, apart)) {
        kept.subList(0, before).clear();
      }
    }
    int size = kept.size();
    return new RunHistory(values(kept.subList(Math.max(0, size - NEWEST), size)));
  }

  private static boolean hasChanged(List<Dated> kept, int before, double apart) {
    double usual = upperMedian(values(kept.subList(0, before)));
    Dated first = kept.get(before);
    double one = first.value - usual;
    double other = kept.get(before + 1).value - usual;
    return first.at.isAfter(kept.get(before - 1).at)
        && Math.min(Math.abs(one), Math.abs(other)) > apart
        && one * other > 0
        && Math.abs(one - other) <= apart;
  }

  private static List<Double> values(List<Dated> runs) {
    return runs.stream().map(Dated::value).toList();
  }

  int runs() {
    return values.size();
  }

  /** What to expect of the next run. */
  double estimate() {
    return upperMedian(values);
  }

  /** What the upper bound has to reach at least. */
  double highest() {
    List<Double> sorted = values.stream().sorted().toList();
    int place = sorted.size() >= ENOUGH_TO_DOUBT_ONE ? sorted.size() - 2 : sorted.size() - 1;
    return sorted.get(place);
  }

  /** What the lower bound has to reach at least. */
  double lowest() {
    return values.stream().sorted().toList().get(values.size() >= ENOUGH_TO_DOUBT_ONE ? 1 : 0);
  }

  /** By how much each of the newest runs was above what those before it had let expect. */
  List<Double> surprises(int newest) {
    List<Double> surprises = new ArrayList<>();
    for (int i = Math.max(1, values.size() - newest); i < values.size(); i++) {
      surprises.add(values.get(i) - upperMedian(values.subList(0, i)));
    }
    return surprises;
  }

  private static double upperMedian(List<Double> values) {
    return values.stream().sorted().toList().get(values.size() / 2);
  }
}
