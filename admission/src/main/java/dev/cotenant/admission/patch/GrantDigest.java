package dev.cotenant.admission.patch;

import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.domain.text.Sha256;
import java.util.List;
import java.util.Map;

/**
 * A digest of a pod's grant: its uid, node, GPUs, extent and amounts, as annotations have them. Of
 * a grant and of the annotations that it was written as it is the same.
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

  /** Of the annotations of a pod. */
  public static String of(String uid, Map<String, String> annotations) {
    StringBuilder text = new StringBuilder(uid);
    for (String name : NAMES) {
      String value = annotations.getOrDefault(name, "");
      text.append('\n').append(value.length()).append(':').append(value);
    }
    return Sha256.of(text.toString()).substring(0, LENGTH);
  }

  /** Of the grant of a pod. */
  public static String of(PodGrant grant) {
    return of(grant.key(), PodPatches.annotations(grant));
  }
}
