package dev.cotenant.service.rest.learning;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.domain.InputException;
import org.jspecify.annotations.Nullable;

/**
 * Why another version is to serve. The caller is the authenticated one, not a field.
 *
 * @param overrideReason why it is to serve though it did not prove better; absent requires the
 *     proof
 * @param reason of a rollback; recorded
 * @param of what goes back: {@code predictor}, the default, or {@code forecast}
 */
record PromotionDocument(
    @JsonProperty("override_reason") @Nullable String overrideReason,
    @JsonProperty("reason") @Nullable String reason,
    @JsonProperty("of") @Nullable String of) {
  PromotionDocument {
    if (of != null && !of.equals(PREDICTOR) && !of.equals(FORECAST)) {
      throw InputException.invalidArgument(
          "bad-kind", "'of' must be predictor or forecast, is '" + of + "'.");
    }
  }

  private static final String PREDICTOR = "predictor";
  private static final String FORECAST = "forecast";

  boolean concernsForecast() {
    return FORECAST.equals(of);
  }
}
