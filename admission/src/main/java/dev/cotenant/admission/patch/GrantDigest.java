package dev.cotenant.admission.patch;

import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.domain.text.Sha256;
import java.util.List;
import java.util.Map;

/**
 * A digest of a pod's grant: its uid, node, GPUs, extent and amounts, as annotations have them.
 * Equal for a grant and for the annotations that were written for it.
 */
public final class GrantDigest {
  private static final List<String> NAMES =
      List.of(
          CotenantAnnotations.ASSIGNED_NODE,
          CotenantAnnotations.ASSIGNED_GPU,
          CotenantAnnotations.DECISION,
          CotenantAnnotations.PREDICTED_UTILIZATION,
          CotenantAnnotations.PREDICTED_UTILIZATION_MEAN,
          CotenantAnnotations.PREDICTED_MEMORY);

  /** Half of SHA-256, in hexadecimal digits. */
  private static final int LENGTH = 32;

  private GrantDigest() {}

  /** Digest of a pod's annotations. */
  public static String of(String uid, Map<String, String> annotations) {
    StringBuilder text = new StringBuilder(uid);
    for (String name : NAMES) {
      String value = annotations.getOrDefault(name, "");
      text.append('\n').append(value.length()).append(':').append(value);
    }
    return Sha256.of(text.toString()).substring(0, LENGTH);
  }

  /** Digest of a pod's grant. */
  public static String of(PodGrant grant) {
    return of(grant.key(), PodPatches.annotations(grant));
  }
}
