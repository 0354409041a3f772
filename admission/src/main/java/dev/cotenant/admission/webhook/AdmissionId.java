package dev.cotenant.admission.webhook;

import dev.cotenant.admission.pod.PodIdentity;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Objects;
import java.util.zip.CRC32;

/**
 * The admission id of a gated pod: random, then {@code -} and eight digits, a CRC-32 of the random
 * part with the pod's namespace and name.
 *
 * <p>By it the stateless webhook distinguishes a pod that it has patched from a copy of a different
 * pod. It is no secret and proves nothing else: the gate controller identifies pods by uid.
 */
public final class AdmissionId {
  private static final int DIGITS = 8;

  private AdmissionId() {}

  /** An admission id of this pod. */
  public static String of(String random, PodIdentity pod) {
    return random + "-" + digits(random, pod);
  }

  /** Whether the admission id was made for a pod of this name. */
  public static boolean isOf(String admissionId, PodIdentity pod) {
    int end = admissionId.length() - DIGITS - 1;
    if (end < 1 || admissionId.charAt(end) != '-') {
      return false;
    }
    return admissionId.substring(end + 1).equals(digits(admissionId.substring(0, end), pod));
  }

  /** A generated name is unknown when the admission id is made; its prefix counts. */
  private static String digits(String random, PodIdentity pod) {
    String name =
        pod.generateName() == null
            ? "\nname " + Objects.requireNonNullElse(pod.name(), "")
            : "\nprefix " + pod.generateName();
    CRC32 sum = new CRC32();
    sum.update((random + "\n" + pod.namespace() + name).getBytes(StandardCharsets.UTF_8));
    return HexFormat.of().toHexDigits(sum.getValue(), DIGITS);
  }
}
