package dev.cotenant.admission.webhook;

import dev.cotenant.admission.decision.DecisionRecord;

/**
 * Port: is told what the webhooks did, for metrics, logs and pages. Called on the thread of the
 * request, after the answer is made and before it is sent; must be quick and must not throw.
 */
public interface AdmissionListener {
  /** Every review that was answered, whatever it was about. */
  void answered(WebhookAnswer answer);

  /** Every pod that was decided on. */
  void decided(DecisionRecord decision);
}
