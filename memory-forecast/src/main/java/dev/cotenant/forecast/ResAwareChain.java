package dev.cotenant.forecast;

import dev.cotenant.domain.forecast.MemoryForecast;
import dev.cotenant.domain.quantity.MemorySize;
import java.util.ArrayList;
import java.util.List;

/**
 * The three mechanisms of the ResAware scheduler, asked in turn: {@code agnostic}, {@code cbp},
 * {@code pp}.
 *
 * <p>Deviations from the paper are those of the stages. Because a raw forecast outside 0 to
 * capacity is clamped, a request larger than the device never fits (a negative ŷ would admit it as
 * published) and an empty request fits a device forecast to be over-full.
 */
public final class ResAwareChain {
  /*
   * For the chosen request:
   *   agnostic: request < capacity − Σ granted (strictly)   → schedule
   *   CBP:      CV < threshold,  request ≤ capacity − P80    → schedule
   *   PP:       r_k > threshold, request ≤ capacity − ŷ      → schedule
   *   otherwise back into the queue.
   * The next stage is asked both when one has no estimate and when its room is too small. Which
   * request is chosen (largest first) is the queue's matter, not the chain's.
   * [ResAware, section 5 and Figure 4]
   */
  private final ResourceAgnostic agnostic;
  private final List<MemoryForecaster> stages;

  public ResAwareChain(ResAwareSettings settings) {
    agnostic = new ResourceAgnostic(settings);
    stages =
        List.of(agnostic, new CorrelationBasedPrediction(settings), new PeakPrediction(settings));
  }

  /** The stages in the order in which they are asked. */
  public List<MemoryForecaster> stages() {
    return stages;
  }

  /** Every stage's forecast, in the order in which they are asked. */
  public List<MemoryForecast> forecasts(ForecastRequest question) {
    return stages.stream().map(stage -> stage.forecast(question)).toList();
  }

  /** The paper's algorithm for one request; stages after the one that lets it in are not asked. */
  public Placement place(ForecastRequest question, MemorySize request) {
    List<StageAnswer> answers = new ArrayList<>();
    for (MemoryForecaster stage : stages) {
      StageAnswer answer = ask(stage, question, request);
      answers.add(answer);
      if (answer instanceof StageAnswer.Satisfied(String name, MemorySize free, String reason)) {
        return new Placement.Fits(name, free, answers);
      }
    }
    return new Placement.DoesNotFit(answers);
  }

  private StageAnswer ask(MemoryForecaster stage, ForecastRequest question, MemorySize request) {
    return switch (stage.forecast(question).verdict()) {
      case MemoryForecast.Abstained abstained ->
          new StageAnswer.NoEstimate(stage.name(), abstained.reason());
      case MemoryForecast.Applies applies ->
          compare(stage, request, question.capacity().minusOrZero(applies.peak()), applies);
    };
  }

  private StageAnswer compare(
      MemoryForecaster stage, MemorySize request, MemorySize free, MemoryForecast.Applies applies) {
    boolean strict = stage == agnostic;
    boolean fits = strict ? request.compareTo(free) < 0 : request.isAtMost(free);
    String relation = strict ? " less than " : " at most ";
    String reason = "request " + request + (fits ? " is" : " is not") + relation + free + " free: ";
    return fits
        ? new StageAnswer.Satisfied(stage.name(), free, reason + applies.reason())
        : new StageAnswer.TooLarge(stage.name(), free, reason + applies.reason());
  }
}
