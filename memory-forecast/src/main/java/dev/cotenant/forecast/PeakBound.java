package dev.cotenant.forecast;

import dev.cotenant.domain.forecast.MemoryForecast;
import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.forecast.history.HistoryFeatures;
import dev.cotenant.forecast.history.Situation;
import dev.cotenant.forecast.history.SteppedHistory;
import dev.cotenant.forecast.trees.PeakModel;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * {@code peak-bound}, the default: the most that will be used while a decision lasts, with a bound
 * that holds in 95 % of cases.
 *
 * <p>It looks at the whole series it is given, in steps of a tenth of the horizon, and abstains
 * only without samples. The bound is never below the used memory of the last five steps, and never
 * above capacity.
 */
public final class PeakBound implements MemoryForecaster {
  /*
   * Idea: three ensembles of boosted quantile trees on scale-free numbers of the past (see
   * HistoryFeatures) state the rise of the next step (median), of the peak over the horizon (median)
   * and how far above the last five steps the peak is in no more than 5 % of cases. Trees cannot state what they never saw, so
   * the bound has floors, each a plain rule:
   *  - restart: after a drop to idle the process may come back as it was, or a little larger;
   *  - start: the peak of what has just started is not in its series, capacity bounds it;
   *  - ramp: what rose steadily for some steps goes on for a horizon;
   *  - period: what repeats itself peaks as it did in its last period.
   * One floor is a ceiling: a GPU without tenants that was idle all along stays idle, for
   * the grant counts a newcomer. Cost: a few sorts of at most 360 numbers and one path
   * through each tree. Assumes that the coming pods resemble those of the training traces; the
   * coverage on others is in the standing table (evaluate forecast).
   */
  static final String NAME = "peak-bound";

  private final PeakModel model;
  private final Duration horizon;
  private final int memorySteps;

  /**
   * @param horizon how long a decision lasts, positive
   */
  public PeakBound(PeakModel model, Duration horizon) {
    this(model, horizon, SteppedHistory.MAX_STEPS);
  }

  /** As above, looking at the newest {@code memorySteps} steps only. */
  public PeakBound(PeakModel model, Duration horizon, int memorySteps) {
    if (!horizon.isPositive()) {
      throw new IllegalArgumentException("horizon must be positive, is " + horizon);
    }
    this.model = model;
    this.horizon = horizon;
    this.memorySteps = memorySteps;
  }

  @Override
  public String name() {
    return memorySteps == SteppedHistory.MAX_STEPS ? NAME : NAME + "-" + memorySteps;
  }

  @Override
  public MemoryForecast forecast(ForecastRequest request) {
    MemorySeries series = request.series();
    ForecastBuilder answer = new ForecastBuilder(name(), request, series, horizon);
    if (series.isEmpty()) {
      return answer.abstained("no samples");
    }
    SteppedHistory history = SteppedHistory.of(series, horizon).newest(memorySteps);
    double capacity = request.capacity().bytes();
    if (isUnused(request, history, capacity)) {
      double most = history.maximum(SteppedHistory.RECENT);
      return answer.bounded(
          "idle, without a tenant",
          new ForecastBuilder.Figures(most, most, most, false),
          model.coverage());
    }
    return judge(answer, history, capacity);
  }

  private MemoryForecast judge(ForecastBuilder answer, SteppedHistory history, double capacity) {
    float[] features = HistoryFeatures.of(history, capacity);
    double reference = HistoryFeatures.reference(history, capacity);
    double last = history.last();
    double learned =
        history.maximum(SteppedHistory.RECENT)
            + (model.bound().predict(features) + model.margin()) * reference;
    Floor floor = floor(history, capacity);
    double bound = Math.max(learned, floor.bytes);
    double peak = last + Math.max(0, model.peak().predict(features)) * reference;
    double next = last + model.next().predict(features) * reference;
    String why =
        String.format(
            Locale.ROOT,
            "%d steps of %.0f s%s%s",
            history.length(),
            history.stepSeconds(),
            history.gaps() == 0 ? "" : ", " + history.gaps() + " gaps",
            floor.bytes > learned ? ", " + floor.reason : "");
    return answer.bounded(
        why,
        new ForecastBuilder.Figures(
            next, Math.min(peak, bound), bound, floor.assumed && floor.bytes > learned),
        model.coverage());
  }

  private static boolean isUnused(
      ForecastRequest request, SteppedHistory history, double capacity) {
    List<MemorySize> granted = request.granted();
    double idle = HistoryFeatures.IDLE_SHARE * capacity;
    boolean alwaysIdle =
        history.length() > SteppedHistory.RECENT
            && history.maximum(SteppedHistory.MAX_STEPS) < idle;
    return granted != null && granted.isEmpty() && alwaysIdle;
  }

  /**
   * @param assumed whether it is a share of capacity
   */
  private record Floor(double bytes, String reason, boolean assumed) {
    Floor(double bytes, String reason) {
      this(bytes, reason, false);
    }

    Floor or(Floor other) {
      return other.bytes > bytes ? other : this;
    }
  }

  private Floor floor(SteppedHistory history, double capacity) {
    Floor usual =
        new Floor(
                history.maximum(SteppedHistory.RECENT),
                "not below the last " + SteppedHistory.RECENT + " steps")
            .or(new Floor(Trend.rampBytes(history), "on a steady ramp"))
            .or(new Floor(Trend.periodPeakBytes(history), "as high as in its last period"));
    return switch (Situation.of(history, capacity)) {
      case RUNNING -> usual;
      case RESTARTED ->
          usual.or(
              new Floor(
                  model.restartFactor() * history.maximum(SteppedHistory.MAX_STEPS),
                  "may come back as before its restart"));
      case STARTED -> usual.or(new Floor(model.startShare() * capacity, "has just started", true));
    };
  }
}
