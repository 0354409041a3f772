package dev.cotenant.admission;

import dev.cotenant.admission.review.AdmissionAnswer;
import dev.cotenant.admission.review.AdmissionAnswer.Cause;
import org.jspecify.annotations.Nullable;

/**
 * What a webhook makes of a request.
 *
 * @param answer for the API server
 * @param outcome for the listener
 * @param decision for the listener; null where nothing was decided
 */
record Conclusion(
    AdmissionAnswer answer, WebhookAnswer.Outcome outcome, @Nullable DecisionRecord decision) {

  static Conclusion untouched() {
    return new Conclusion(AdmissionAnswer.untouched(), new WebhookAnswer.Untouched(), null);
  }

  static Conclusion refused(Cause cause, String message) {
    return new Conclusion(
        AdmissionAnswer.refused(cause, message), new WebhookAnswer.Refused(), null);
  }
}
