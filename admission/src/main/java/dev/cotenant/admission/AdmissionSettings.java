package dev.cotenant.admission;

import dev.cotenant.domain.decision.SharingLimits;

/**
 * The policy of mode Immediate.
 *
 * @param limits within which workloads may share
 * @param serviceAccount the only user who may change the annotations that Cotenant writes, {@code
 *     system:serviceaccount:cotenant-system:cotenant}
 */
public record AdmissionSettings(SharingLimits limits, String serviceAccount) {
  public AdmissionSettings {
    if (serviceAccount.isBlank()) {
      throw new IllegalArgumentException("serviceAccount must not be blank");
    }
  }
}
