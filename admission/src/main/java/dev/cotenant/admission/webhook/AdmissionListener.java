package dev.cotenant.admission.webhook;

import dev.cotenant.admission.decision.DecisionRecord;
import dev.cotenant.admission.fill.FillReport;
import dev.cotenant.admission.pod.PodIdentity;

/**
 * Port: receives the outcomes of the webhooks, for metrics, logs and pages. Called on the thread of
 * the request, before its answer is sent; implementations are quick and never throw.
 */
public interface AdmissionListener {
  /** A review was answered. */
  void answered(WebhookOutcome answer);

  /** A pod was decided on. */
  void decided(DecisionRecord decision);

  /** The memory of a pod's request was filled in or left unchanged. */
  void filled(FillReport report);

  /** A pod exceeded its filled memory. */
  void killed(PodIdentity pod);
}
