package dev.cotenant.admission.webhook;

import dev.cotenant.admission.decision.DecisionRecord;

/**
 * Port: receives the outcomes of the webhooks, for metrics, logs and pages. Called on the thread of
 * the request, before its answer is sent; implementations are quick and never throw.
 */
public interface AdmissionListener {
  /** A review was answered. */
  void answered(WebhookAnswer answer);

  /** A pod was decided on. */
  void decided(DecisionRecord decision);
}
