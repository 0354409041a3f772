package dev.cotenant.placement.serving;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.ServiceOutlook;
import dev.cotenant.domain.prediction.Serving;
import dev.cotenant.domain.prediction.ShareCurve;
import dev.cotenant.domain.prediction.StepTimeEstimate;
import dev.cotenant.domain.quantity.Milliseconds;
import dev.cotenant.domain.quantity.Share;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.workload.Load;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Answers for every device whether a service keeps its latency objective there, by the upper bound
 * of its step: see {@link BulkQueue}. Every batch counts as long as a full one.
 */
public final class ServiceOutlooks {
  /*
   * The time of a step that the objective allows depends on batch, rate and objective alone, so it is
   * found once. Over the upper bound of the step on a device it is the slowdown that the objective
   * stands. Where pods are limited to a share of the device, the share is the least in which the
   * objective still stands the slowdown that neighbours may cause, as iGniter's lower bound of
   * resources is the least that keeps the objective [iGniter, theorem 1]: the rest of the slack
   * would be of no use.
   */
  private static final int BISECTIONS = 16;
  private static final double NANOS_PER_MILLI = 1e6;

  /** Services of one workload have the same batch, rate and objective. */
  private static final int MOST_REMEMBERED = 1000;

  private static final Map<Question, Double> LONGEST = new ConcurrentHashMap<>();

  private record Question(int batch, double requestsPerSecond, double objectiveMillis) {
    private double longestMillis() {
      return BulkQueue.largestFactor(
          BulkQueue.constant(batch, 1), requestsPerSecond, objectiveMillis);
    }
  }

  private final Duration objective;
  private final double objectiveMillis;
  private final @Nullable Double rate;
  private final int batch;
  private final double longestMillis;

  private ServiceOutlooks(Duration objective, @Nullable Double rate, int batch) {
    this.objective = objective;
    this.rate = rate;
    this.batch = batch;
    objectiveMillis = objective.toNanos() / NANOS_PER_MILLI;
    longestMillis =
        rate == null ? objectiveMillis : longestMillis(new Question(batch, rate, objectiveMillis));
  }

  private static double longestMillis(Question question) {
    if (LONGEST.size() > MOST_REMEMBERED) {
      LONGEST.clear();
    }
    return LONGEST.computeIfAbsent(question, Question::longestMillis);
  }

  /** Which part of a device pods get. */
  public sealed interface Limiting {
    /** All of it. */
    record None() implements Limiting {}

    /**
     * A share of its compute by MPS.
     *
     * @param slowdown that neighbours may cause
     */
    record ToShare(Slowdown slowdown) implements Limiting {}
  }

  /**
   * The same predictions with an answer about the objective; those without times of steps, and of
   * training, as they are.
   *
   * @param predictions of one workload at one batch and load, by device
   * @param objective positive
   * @param limiting by device
   */
  public static Map<DeviceId, Prediction> of(
      Map<DeviceId, Prediction> predictions,
      Duration objective,
      Function<DeviceId, Limiting> limiting) {
    Map<DeviceId, Prediction> answered = new HashMap<>(predictions);
    @Nullable ServiceOutlooks outlooks = null;
    for (Map.Entry<DeviceId, Prediction> entry : answered.entrySet()) {
      Prediction prediction = entry.getValue();
      @Nullable Serving serving = prediction.serving().orElse(null);
      if (serving != null) {
        if (outlooks == null) {
          outlooks = new ServiceOutlooks(objective, rate(prediction), prediction.batchSize());
        }
        entry.setValue(outlooks.answer(prediction, serving, limiting.apply(entry.getKey())));
      }
    }
    return answered;
  }

  private static @Nullable Double rate(Prediction prediction) {
    return prediction.settings().load() instanceof Load.RequestRate(double perSecond)
        ? perSecond
        : null;
  }

  private Prediction answer(Prediction prediction, Serving serving, Limiting limiting) {
    double step = serving.step().upperSeconds() * Milliseconds.PER_SECOND;
    double most = longestMillis / step;
    ShareCurve.Point point =
        switch (limiting) {
          case Limiting.None _ -> ShareCurve.Point.WHOLE;
          case Limiting.ToShare(Slowdown slowdown) -> point(prediction.shares(), most, slowdown);
        };
    Prediction limited = limited(prediction, serving, point);
    return limited.withService(
        new ServiceOutlook(
            objective,
            rate,
            alone(step * point.stepFactor()),
            most / point.stepFactor(),
            mostPerSecond(step * point.stepFactor(), most >= 1),
            point.share()));
  }

  private static ShareCurve.Point point(
      @Nullable ShareCurve shares, double most, Slowdown slowdown) {
    return shares == null ? ShareCurve.Point.WHOLE : shares.least(most / slowdown.ratio());
  }

  /** In a partition kernels run for longer. */
  private Prediction limited(Prediction prediction, Serving serving, ShareCurve.Point point) {
    Double perSecond = rate;
    if (perSecond == null || point.share().equals(Share.WHOLE)) {
      return prediction;
    }
    StepTimeEstimate busy =
        serving.busy().scaledTo(serving.busy().meanSeconds() * point.busyFactor());
    return prediction.withUtilization(
        new Serving(serving.batchSize(), serving.step(), busy).at(perSecond));
  }

  private double alone(double stepMillis) {
    return rate == null
        ? stepMillis / Milliseconds.PER_SECOND
        : new BulkQueue(BulkQueue.constant(batch, stepMillis), rate).p99Millis()
            / Milliseconds.PER_SECOND;
  }

  /** The largest rate, at most the stated one, with which the objective is kept. */
  private double mostPerSecond(double stepMillis, boolean kept) {
    Double stated = rate;
    if (stated == null || kept) {
      return stated == null ? 0 : stated;
    }
    double least = 0;
    double most = stated;
    for (int i = 0; i < BISECTIONS; i++) {
      double middle = (least + most) / 2;
      if (new BulkQueue(BulkQueue.constant(batch, stepMillis), middle).keeps(objectiveMillis)) {
        least = middle;
      } else {
        most = middle;
      }
    }
    return least;
  }
}
