package dev.cotenant.admission.webhook;

import dev.cotenant.admission.policy.Policies;

/**
 * What the webhooks go by.
 *
 * @param policies what is done with the pods of which namespace
 * @param serviceAccount the only user who may change what Cotenant writes and remove its gates,
 *     {@code system:serviceaccount:cotenant-system:cotenant}
 */
public record AdmissionSettings(Policies policies, String serviceAccount) {
  public AdmissionSettings {
    if (serviceAccount.isBlank()) {
      throw new IllegalArgumentException("serviceAccount must not be blank");
    }
  }
}
