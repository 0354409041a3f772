package dev.cotenant.engine.view;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.domain.prediction.EngineSpeed;
import dev.cotenant.domain.prediction.StepTimeEstimate;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import org.jspecify.annotations.Nullable;

/**
 * The steps of a server of a language model alone on a GPU; bounds are assumed.
 *
 * @param promptTokens of a request
 * @param generatedTokens of its answer
 * @param requestsPerSecond the stated rate; absent where requests follow each other
 * @param sequences at once, in the mean
 * @param prefillSeconds of a prompt
 * @param decodeSeconds a step that adds one token to every sequence
 * @param capacityRequestsPerSecond that it answers with as many sequences as its cache holds
 * @param utilizationPercent share of time in which kernels run
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record EngineSpeedView(
    @JsonProperty("prompt_tokens") long promptTokens,
    @JsonProperty("generated_tokens") long generatedTokens,
    @JsonProperty("requests_per_second") @Nullable Double requestsPerSecond,
    @JsonProperty("sequences") double sequences,
    @JsonProperty("prefill_seconds") Range prefillSeconds,
    @JsonProperty("decode_step_seconds") Range decodeSeconds,
    @JsonProperty("capacity_requests_per_second") double capacityRequestsPerSecond,
    @JsonProperty("utilization_percent") Range utilizationPercent) {
  /** A mean with assumed bounds. */
  public record Range(
      @JsonProperty("mean") double mean,
      @JsonProperty("lower") double lower,
      @JsonProperty("upper") double upper) {
    private static Range of(StepTimeEstimate time) {
      return new Range(
          digits(time.meanSeconds()), digits(time.lowerSeconds()), digits(time.upperSeconds()));
    }

    private static Range of(UtilizationEstimate busy) {
      return new Range(busy.mean().percent(), busy.lower().percent(), busy.upper().percent());
    }
  }

  static @Nullable EngineSpeedView of(@Nullable EngineSpeed speed) {
    return speed == null
        ? null
        : new EngineSpeedView(
            speed.load().promptTokens(),
            speed.load().generatedTokens(),
            speed.load().perSecond(),
            digits(speed.sequences()),
            Range.of(speed.prefill()),
            Range.of(speed.decode()),
            digits(speed.requestsPerSecond()),
            Range.of(speed.utilization()));
  }

  /** To four significant digits. */
  private static double digits(double value) {
    return value == 0
        ? 0
        : new java.math.BigDecimal(value).round(new java.math.MathContext(4)).doubleValue();
  }
}
