package dev.cotenant.engine.view;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.domain.InputException;
import org.jspecify.annotations.Nullable;

/**
 * The answer to one of several questions: a prediction or an error.
 *
 * @param model as the question names it; absent where it names none
 * @param device as the question names it; absent where it names none
 * @param prediction absent with an error, and of a language model
 * @param memory of a language model; absent otherwise
 * @param error absent with a prediction
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record PredictionAnswerView(
    @JsonProperty("model") @Nullable String model,
    @JsonProperty("device") @Nullable String device,
    @JsonProperty("prediction") @Nullable PredictionView prediction,
    @JsonProperty("memory") @Nullable MemoryPredictionView memory,
    @JsonProperty("error") @Nullable ErrorView error) {

  /**
   * Why there is no prediction.
   *
   * @param code stable kebab-case identifier
   * @param detail cause and remedy
   */
  public record ErrorView(
      @JsonProperty("code") String code, @JsonProperty("detail") String detail) {}

  public static PredictionAnswerView of(PredictionView prediction) {
    return new PredictionAnswerView(
        prediction.model(), prediction.device(), prediction, null, null);
  }

  /** Of a language model. */
  public static PredictionAnswerView of(MemoryPredictionView memory) {
    return new PredictionAnswerView(memory.path(), memory.device(), null, memory, null);
  }

  public static PredictionAnswerView failed(
      @Nullable String model, @Nullable String device, InputException why) {
    return new PredictionAnswerView(
        model, device, null, null, new ErrorView(why.code(), why.getMessage()));
  }
}
