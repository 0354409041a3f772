package dev.cotenant.admission.webhook;

import dev.cotenant.admission.policy.Policies;

/**
 * The settings of the webhooks.
 *
 * @param policies by namespace
 * @param serviceAccount the only user that may write Cotenant's annotations and remove its gate,
 *     {@code system:serviceaccount:cotenant-system:cotenant}
 */
public record AdmissionSettings(Policies policies, String serviceAccount) {
  public AdmissionSettings {
    if (serviceAccount.isBlank()) {
      throw new IllegalArgumentException("serviceAccount must not be blank");
    }
  }
}
