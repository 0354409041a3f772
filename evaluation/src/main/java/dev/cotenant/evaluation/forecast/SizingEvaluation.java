package dev.cotenant.evaluation.forecast;

import dev.cotenant.domain.evaluation.EvaluationRow;
import dev.cotenant.domain.forecast.RecordedDevice;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.evaluation.Scores;
import dev.cotenant.forecast.sizing.SizingModel;
import dev.cotenant.forecast.sizing.SizingRow;
import dev.cotenant.forecast.sizing.SizingTrainer;
import dev.cotenant.forecast.sizing.SizingWindows;
import dev.cotenant.forecast.train.Windows;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * Recommends the memory of recorded pods from one window and compares it with the peak of the next:
 * each quarter of the pods by a model of the other three, and none beyond its card. Once by all of
 * their windows, and once, {@code in time}, by those alone that had ended when it recommends.
 */
public final class SizingEvaluation {
  public static final String TASK = "right-size";

  private static final int FOLDS = 4;
  private static final int STRIDES = 24;
  private static final double[] LEVELS = {0.9, 0.95, 0.99};
  private static final double MEDIAN = 0.5;

  /**
   * Parts of the recorded time; windows in each but the first are tested by what ended before it.
   */
  private static final int PARTS = 4;

  private final Duration window;
  private final String protocol;
  private final Consumer<String> progress;

  /**
   * @param window length of the past and of what follows
   * @param protocol its name in the figures
   * @param progress receives what is done
   */
  public SizingEvaluation(Duration window, String protocol, Consumer<String> progress) {
    this.window = window;
    this.protocol = protocol;
    this.progress = progress;
  }

  /** What recommends, learned from other pods. */
  private interface Learner {
    SizingModel learn(SizingTrainer trainer, List<SizingRow> rows);
  }

  private static final Map<String, Learner> LEARNERS = learners();

  private static Map<String, Learner> learners() {
    Map<String, Learner> learners = new LinkedHashMap<>();
    learners.put("right-size", SizingTrainer::train);
    learners.put("window-maximum", SizingTrainer::factor);
    return learners;
  }

  /**
   * Metrics at 90, 95 and 99 %: {@code coverage}, the share of peaks within what was recommended,
   * and {@code median_excess} and {@code mean_excess} of it over the peak, as shares of the peak.
   * Values are over all windows, spreads over folds.
   *
   * @throws IllegalArgumentException where no pod has two windows
   */
  public List<EvaluationRow> crossValidate(List<RecordedDevice> devices, long seed) {
    List<String> groups = devices.stream().map(RecordedDevice::group).distinct().sorted().toList();
    Map<String, Double> capacities = new LinkedHashMap<>();
    List<SizingRow> rows = new ArrayList<>();
    for (RecordedDevice device : devices) {
      capacities.put(device.name(), (double) device.capacity().bytes());
      rows.addAll(windows(device).rows(device));
    }
    if (rows.isEmpty()) {
      throw new IllegalArgumentException("no pod has samples of two windows of " + window);
    }
    List<EvaluationRow> figures = new ArrayList<>();
    for (double level : LEVELS) {
      Map<String, List<Scores>> scores = new LinkedHashMap<>();
      for (int fold = 0; fold < FOLDS; fold++) {
        int held = fold;
        List<SizingRow> others =
            rows.stream().filter(row -> groups.indexOf(row.group()) % FOLDS != held).toList();
        List<SizingRow> own =
            rows.stream().filter(row -> groups.indexOf(row.group()) % FOLDS == held).toList();
        SizingTrainer trainer = new SizingTrainer(Coverage.of(level), seed);
        LEARNERS.forEach((name, learner) -> {
          Scorer scorer = new Scorer(some -> learner.learn(trainer, some), capacities);
          String label = name + "/" + percent(level);
          add(scores, label, scorer.of(others, own));
          add(scores, label + " in time", scorer.inTime(others, own, window));
        });
        progress.accept("fold " + (fold + 1) + " at " + percent(level) + " %");
      }
      scores.forEach((label, folds) -> figures.addAll(figures(label, folds)));
    }
    return figures;
  }

  private static void add(Map<String, List<Scores>> scores, String label, Scores fold) {
    if (fold.size() > 0) {
      scores.computeIfAbsent(label, _ -> new ArrayList<>()).add(fold);
    }
  }

  /**
   * Scores of windows by a model of others.
   *
   * @param learn from these
   * @param capacities of cards in bytes, by series
   */
  private record Scorer(
      Function<List<SizingRow>, SizingModel> learn, Map<String, Double> capacities) {
    Scores of(List<SizingRow> others, List<SizingRow> own) {
      Scores scores = new Scores();
      if (!others.isEmpty() && !own.isEmpty()) {
        SizingModel model = learn.apply(others);
        for (SizingRow row : own) {
          double most = capacities.getOrDefault(row.series(), Double.MAX_VALUE);
          scores.add(row.nextPeak(), Math.min(most, model.bytes(row.past())));
        }
      }
      return scores;
    }

    /** A later window is recommended by what had ended at the begin of its part of the time. */
    Scores inTime(List<SizingRow> others, List<SizingRow> own, Duration window) {
      Scores scores = new Scores();
      Instant first =
          others.stream().map(SizingRow::end).min(Instant::compareTo).orElse(Instant.MAX);
      Instant last = own.stream().map(SizingRow::end).max(Instant::compareTo).orElse(Instant.MIN);
      if (first.isBefore(last)) {
        Duration part = Duration.between(first, last).dividedBy(PARTS);
        for (int i = 1; i < PARTS; i++) {
          Instant from = first.plus(part.multipliedBy(i));
          Instant to = i == PARTS - 1 ? Instant.MAX : from.plus(part);
          scores.addAll(
              of(
                  others.stream().filter(row -> !row.end().plus(window).isAfter(from)).toList(),
                  own.stream()
                      .filter(row -> !row.end().isBefore(from) && row.end().isBefore(to))
                      .toList()));
        }
      }
      return scores;
    }
  }

  private SizingWindows windows(RecordedDevice device) {
    return new SizingWindows(window, window.dividedBy(STRIDES), Windows.step(device.series()));
  }

  private List<EvaluationRow> figures(String model, List<Scores> folds) {
    Scores all = new Scores();
    folds.forEach(all::addAll);
    Map<String, ToDoubleFunction<Scores>> metrics = new LinkedHashMap<>();
    metrics.put("coverage", scores -> scores.mean(Scores::held));
    metrics.put("median_excess", scores -> scores.quantile(SizingEvaluation::excess, MEDIAN));
    metrics.put("mean_excess", scores -> scores.mean(SizingEvaluation::excess));
    List<EvaluationRow> figures = new ArrayList<>();
    metrics.forEach((metric, figure) -> {
      EvaluationRow spread =
          EvaluationRow.overSeeds(
              new EvaluationRow.Subject(TASK, protocol, model, metric),
              folds.stream().mapToDouble(figure).toArray(),
              all.size(),
              null);
      figures.add(
          new EvaluationRow(
              TASK,
              protocol,
              model,
              metric,
              figure.applyAsDouble(all),
              spread.sd(),
              spread.min(),
              spread.max(),
              all.size(),
              folds.size(),
              null));
    });
    return figures;
  }

  private static double excess(double peak, double recommended) {
    return recommended / peak - 1;
  }

  private static long percent(double level) {
    return Math.round(100 * level);
  }
}
