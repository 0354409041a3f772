package dev.cotenant.placement.serving;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.ObjectivePrediction;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.ServicePartition;
import dev.cotenant.domain.prediction.Serving;
import dev.cotenant.domain.prediction.ShareCurve;
import dev.cotenant.domain.quantity.Milliseconds;
import dev.cotenant.domain.quantity.Share;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.workload.Load;
import dev.cotenant.interference.profile.ProfiledPartition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Answers for every device whether a service keeps its latency objective there, by the upper bound
 * of its step: see {@link BulkQueue}. Every batch counts as long as a full one.
 */
public final class ObjectivePredictions {
  /*
   * The time of a step that the objective allows depends on batch, rate and objective alone, so it is
   * found once. Over the upper bound of the step on a device it is the slowdown that the objective
   * stands. Where pods are limited to a share of the device, the share is the least in which the
   * objective still stands the slowdown that neighbours may cause, as iGniter's lower bound of
   * resources is the least that keeps the objective [iGniter, theorem 1]: the rest of the slack
   * would be of no use. A profile has the time of every batch, so that its queue is solved for each
   * share, and smaller shares that meet the objective are listed: where neighbours are known, one of
   * them may do.
   */
  private static final double NANOS_PER_MILLI = 1e6;

  private static final QueueAnswers ANSWERS = new QueueAnswers();
  private static final ProfiledQueues PROFILED = new ProfiledQueues();

  private final Duration objective;
  private final double objectiveMillis;
  private final @Nullable Double rate;
  private final int batch;
  private final QueueEffort effort;

  private ObjectivePredictions(
      Duration objective, @Nullable Double rate, int batch, QueueEffort effort) {
    this.objective = objective;
    this.rate = rate;
    this.batch = batch;
    this.effort = effort;
    objectiveMillis = objective.toNanos() / NANOS_PER_MILLI;
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
   * Adds predictions of the objective; predictions of training, or without step times, are
   * unchanged.
   *
   * @param predictions of one workload at one batch and load, by device
   * @param objective positive
   * @param limiting by device
   */
  public static Map<DeviceId, Prediction> of(
      Map<DeviceId, Prediction> predictions,
      Duration objective,
      Function<DeviceId, Limiting> limiting) {
    return of(predictions, objective, limiting, QueueEffort.unlimited()).orElseThrow();
  }

  /** As above with an effort limit; empty if the limit is exceeded. What is found stays. */
  public static Optional<Map<DeviceId, Prediction>> of(
      Map<DeviceId, Prediction> predictions,
      Duration objective,
      Function<DeviceId, Limiting> limiting,
      QueueEffort effort) {
    Map<DeviceId, Prediction> answered = new HashMap<>(predictions);
    try {
      for (Map.Entry<DeviceId, Prediction> entry : answered.entrySet()) {
        Prediction prediction = entry.getValue();
        @Nullable Serving serving = prediction.serving().orElse(null);
        if (serving != null) {
          ObjectivePredictions objectives =
              new ObjectivePredictions(objective, rate(prediction), prediction.batchSize(), effort);
          entry.setValue(objectives.answer(prediction, serving, limiting.apply(entry.getKey())));
        }
      }
    } catch (QueueAnswers.SpentException _) {
      return Optional.empty();
    }
    return Optional.of(answered);
  }

  private static @Nullable Double rate(Prediction prediction) {
    return prediction.settings().load() instanceof Load.RequestRate(double perSecond, _)
        ? perSecond
        : null;
  }

  private Prediction answer(Prediction prediction, Serving serving, Limiting limiting)
      throws QueueAnswers.SpentException {
    ShareCurve curve = prediction.shares();
    Double perSecond = rate;
    if (limiting instanceof Limiting.ToShare(Slowdown slowdown)
        && prediction.partition() instanceof ProfiledPartition partition
        && curve != null
        && perSecond != null) {
      Shares shares = new Shares(partition, serving, perSecond, curve);
      if (shares.get(curve.points().size() - 1).isMet()) {
        return profiled(prediction, shares, perSecond, slowdown);
      }
    }
    return assumingFullBatches(prediction, serving, limiting);
  }

  /** One share of a profiled service. */
  private record InShare(ShareCurve.Point point, ProfiledQueues.Answer answer) {
    boolean isMet() {
      return answer.mostSlowdown() >= 1;
    }

    double aloneSeconds() {
      return answer.p99Millis() / Milliseconds.PER_SECOND;
    }
  }

  /** The shares of a profiled service; each is answered when it is first looked at. */
  private final class Shares {
    private final ProfiledPartition partition;
    private final double factor;
    private final double perSecond;
    private final List<ShareCurve.Point> points;

    Shares(ProfiledPartition partition, Serving serving, double perSecond, ShareCurve shares) {
      this.partition = partition;
      this.perSecond = perSecond;
      factor = serving.step().upperSeconds() / serving.step().meanSeconds();
      points = shares.points();
    }

    InShare get(int index) throws QueueAnswers.SpentException {
      ShareCurve.Point point = points.get(index);
      ProfiledPartition part = partition.in(point.share());
      return new InShare(
          point,
          PROFILED.answer(
              new ProfiledQueues.Server(part, factor, objectiveMillis, perSecond), effort));
    }

    /** The least that tolerates a slowdown; the largest where none does. */
    int least(Slowdown slowdown) throws QueueAnswers.SpentException {
      int low = 0;
      int high = points.size() - 1;
      while (low < high) {
        int middle = (low + high) >>> 1;
        if (get(middle).answer().mostSlowdown() >= slowdown.ratio()) {
          high = middle;
        } else {
          low = middle + 1;
        }
      }
      return low;
    }

    /** Smaller shares that meet the objective, ascending. */
    List<ObjectivePrediction.SmallerShare> below(int index) throws QueueAnswers.SpentException {
      double busy = points.get(index).busyFactor();
      List<ObjectivePrediction.SmallerShare> smaller = new ArrayList<>();
      for (int i = index - 1; i >= 0; i--) {
        InShare each = get(i);
        if (!each.isMet()) {
          break;
        }
        smaller.addFirst(
            new ObjectivePrediction.SmallerShare(
                each.point().share(),
                each.point().busyFactor() / busy,
                each.aloneSeconds(),
                each.answer().mostSlowdown()));
      }
      return smaller;
    }
  }

  private Prediction profiled(Prediction prediction, Shares shares, double perSecond, Slowdown most)
      throws QueueAnswers.SpentException {
    int index = shares.least(most);
    InShare chosen = shares.get(index);
    ObjectivePrediction answer =
        new ObjectivePrediction(
                objective,
                rate,
                chosen.aloneSeconds(),
                chosen.answer().mostSlowdown(),
                perSecond,
                chosen.point().share())
            .withSmaller(shares.below(index));
    return limited(prediction, chosen.point())
        .withPartition(shares.partition.in(chosen.point().share()))
        .withService(ofRate(prediction, answer));
  }

  private Prediction assumingFullBatches(Prediction prediction, Serving serving, Limiting limiting)
      throws QueueAnswers.SpentException {
    double step = serving.step().upperSeconds() * Milliseconds.PER_SECOND;
    double most = longestMillis() / step;
    ShareCurve.Point point =
        switch (limiting) {
          case Limiting.None _ -> ShareCurve.Point.WHOLE;
          case Limiting.ToShare(Slowdown slowdown) -> point(prediction.shares(), most, slowdown);
        };
    double stepInShare = step * point.stepFactor();
    boolean kept = most / point.stepFactor() >= 1;
    ServicePartition partition = prediction.partition();
    ObjectivePrediction answer =
        new ObjectivePrediction(
            objective,
            rate,
            aloneMillis(stepInShare, kept) / Milliseconds.PER_SECOND,
            most / point.stepFactor(),
            mostPerSecond(stepInShare, kept),
            point.share());
    return limited(prediction, point)
        .withPartition(partition == null ? null : partition.in(point.share()))
        .withService(ofRate(prediction, answer));
  }

  /** Marks the answer if its rate is measured. */
  private static ObjectivePrediction ofRate(Prediction prediction, ObjectivePrediction answer) {
    return prediction.settings().load() instanceof Load.RequestRate rate && rate.isMeasured()
        ? answer.withMeasuredRate()
        : answer;
  }

  private double longestMillis() throws QueueAnswers.SpentException {
    Double perSecond = rate;
    return perSecond == null
        ? objectiveMillis
        : objectiveMillis * ANSWERS.longestStep(batch, within(objectiveMillis, perSecond), effort);
  }

  /** Requests in a time. */
  private static double within(double millis, double perSecond) {
    return millis * perSecond / Milliseconds.PER_SECOND;
  }

  private static ShareCurve.Point point(
      @Nullable ShareCurve shares, double most, Slowdown slowdown) {
    return shares == null ? ShareCurve.Point.WHOLE : shares.least(most / slowdown.ratio());
  }

  /**
   * In a partition kernels run for longer: at a stated rate in every batch, else in batches that
   * follow each other at once, which take longer as well.
   */
  private Prediction limited(Prediction prediction, ShareCurve.Point point) {
    if (point.share().equals(Share.WHOLE)) {
      return prediction;
    }
    double factor = rate == null ? point.busyFactor() / point.stepFactor() : point.busyFactor();
    return prediction.withUtilization(prediction.utilization().times(factor));
  }

  private double aloneMillis(double stepMillis, boolean kept) throws QueueAnswers.SpentException {
    Double perSecond = rate;
    if (perSecond == null) {
      return stepMillis;
    }
    double millis = stepMillis * ANSWERS.latency(batch, within(stepMillis, perSecond), effort);
    return kept ? Math.min(objectiveMillis, millis) : millis; // both are rounded
  }

  /** The largest rate, at most the stated one, with which the objective is met. */
  private double mostPerSecond(double stepMillis, boolean kept) throws QueueAnswers.SpentException {
    Double stated = rate;
    if (stated == null || kept) {
      return stated == null ? 0 : stated;
    }
    double requests = ANSWERS.mostRequests(batch, stepMillis / objectiveMillis, effort);
    return Math.min(stated, requests / objectiveMillis * Milliseconds.PER_SECOND);
  }
}
