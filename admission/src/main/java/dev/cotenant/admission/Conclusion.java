package dev.cotenant.admission;

import dev.cotenant.admission.review.AdmissionAnswer;
import dev.cotenant.admission.review.AdmissionAnswer.Cause;
import java.util.List;
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

  /** It asks for a GPU, and nothing is done with it. */
  static Conclusion leftAlone(String cause) {
    return new Conclusion(AdmissionAnswer.untouched(), new WebhookAnswer.LeftAlone(cause), null);
  }

  /** As {@link #leftAlone(String)}, and whoever creates it is told why. */
  static Conclusion leftAlone(String cause, List<String> why) {
    return new Conclusion(
        AdmissionAnswer.untouched().withWarnings(new Warnings().addAll(why).lines()),
        new WebhookAnswer.LeftAlone(cause),
        null);
  }

  /** The mutating webhook was not reached. */
  static Conclusion missed(String notDone) {
    List<String> warnings =
        Warnings.of(
            "the pod was not " + notDone + " (mutating webhook not reached); it runs unmanaged");
    return new Conclusion(
        AdmissionAnswer.untouched().withWarnings(warnings), new WebhookAnswer.Missed(), null);
  }

  static Conclusion refused(Cause cause, String message) {
    return new Conclusion(
        AdmissionAnswer.refused(cause, message), new WebhookAnswer.Refused(), null);
  }
}
