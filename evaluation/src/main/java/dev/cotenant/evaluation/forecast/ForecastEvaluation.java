package dev.cotenant.evaluation.forecast;

import dev.cotenant.domain.evaluation.EvaluationRow;
import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.forecast.RecordedDevice;
import dev.cotenant.forecast.ForecastRequest;
import dev.cotenant.forecast.history.HistoryFeatures;
import dev.cotenant.forecast.history.SteppedHistory;
import dev.cotenant.forecast.train.PeakTrainer;
import dev.cotenant.forecast.train.Windows;
import dev.cotenant.forecast.trees.PeakModel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Runs every forecaster at every instant of recorded series and compares its forecasts with the
 * next sample and the peak of the next ten.
 *
 * <p>Baselines see the newest 5, 30 or 60 samples; the peak forecaster its whole memory.
 */
public final class ForecastEvaluation {
  private static final int FOLDS = 4;

  private final String suffix;
  private final Consumer<String> progress;

  /**
   * @param suffix of the protocols, {@code /FORMAT} to tell one set from another; may be empty
   * @param progress receives progress messages, from any thread
   */
  public ForecastEvaluation(String suffix, Consumer<String> progress) {
    this.suffix = suffix;
    this.progress = progress;
  }

  /**
   * Protocol {@code pod-out}: each quarter of the groups scored by a model of the other three; no
   * device is in both. {@code pod-out/last-fold} is the quarter that no choice of the design saw.
   *
   * <p>Metrics: {@code mae_mib} and {@code mae_ratio} (to persistence) of the next sample; of the
   * bound on the peak {@code coverage}, {@code headroom_mib}, {@code restart_coverage}, {@code
   * violation_5_percent}, {@code worst_device_coverage}; {@code answered}. Values are over all
   * windows, spreads over folds.
   */
  public List<EvaluationRow> crossValidate(List<RecordedDevice> devices, long seed) {
    List<String> groups = devices.stream().map(RecordedDevice::group).distinct().sorted().toList();
    int folds = Math.min(FOLDS, groups.size());
    List<Map<String, WindowScores>> scores =
        IntStream.range(0, folds)
            .parallel()
            .mapToObj(fold -> scoreFold(devices, groups, fold, seed))
            .toList();
    List<EvaluationRow> figures = new ArrayList<>(ForecastFigures.of("pod-out" + suffix, scores));
    figures.addAll(ForecastFigures.of("pod-out/last-fold" + suffix, List.of(scores.getLast())));
    return figures;
  }

  private Map<String, WindowScores> scoreFold(
      List<RecordedDevice> devices, List<String> groups, int held, long seed) {
    List<RecordedDevice> others =
        devices.stream().filter(d -> groups.indexOf(d.group()) % FOLDS != held).toList();
    PeakModel model = new PeakTrainer(seed).train(others, "the other folds");
    progress.accept("fold " + (held + 1) + " is trained");
    return score(
        devices.stream().filter(d -> groups.indexOf(d.group()) % FOLDS == held).toList(), model);
  }

  /** Protocol {@code given-test}: a finished model on devices that it was not trained on. */
  public List<EvaluationRow> test(List<RecordedDevice> devices, PeakModel model) {
    return ForecastFigures.of("given-test" + suffix, List.of(score(devices, model)));
  }

  private static Map<String, WindowScores> score(List<RecordedDevice> devices, PeakModel model) {
    Map<String, WindowScores> scores = new LinkedHashMap<>();
    for (RecordedDevice device : devices) {
      score(device, Estimators.of(model, Windows.horizon(device.series())), scores);
    }
    return scores;
  }

  private static void score(
      RecordedDevice device,
      Map<String, Estimators.Estimator> estimators,
      Map<String, WindowScores> scores) {
    List<MemorySample> samples = device.series().samples();
    double idle = HistoryFeatures.IDLE_SHARE * device.capacity().bytes();
    for (int now : Windows.ends(device.series())) {
      int from = Math.max(0, now + 1 - SteppedHistory.MAX_STEPS);
      ForecastRequest request =
          new ForecastRequest(
              new MemorySeries(samples.subList(from, now + 1)),
              device.capacity(),
              null,
              samples.get(now).at());
      WindowScores.Truth truth = truth(samples, now, idle);
      estimators.forEach((name, estimator) ->
          scores
              .computeIfAbsent(name, _ -> new WindowScores())
              .add(estimator.answer(request), truth));
    }
    scores.values().forEach(WindowScores::endDevice);
  }

  private static WindowScores.Truth truth(List<MemorySample> samples, int now, double idle) {
    double peak = 0;
    for (int i = now + 1; i <= now + SteppedHistory.STEPS; i++) {
      peak = Math.max(peak, (double) samples.get(i).used().bytes());
    }
    boolean restarted = false;
    for (int i = Math.max(0, now + 1 - SteppedHistory.STEPS); i <= now; i++) {
      restarted |= samples.get(i).used().bytes() < idle;
    }
    return new WindowScores.Truth((double) samples.get(now + 1).used().bytes(), peak, restarted);
  }
}
