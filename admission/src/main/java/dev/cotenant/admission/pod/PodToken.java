package dev.cotenant.admission.pod;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Objects;
import java.util.zip.CRC32;

/**
 * The token of a gated pod: random, then {@code -} and eight digits, a CRC-32 of the random part
 * with the pod's namespace and name.
 *
 * <p>The stateless webhook distinguishes by it a pod that it has patched from a copy of another
 * pod. It is no secret and proves nothing else: the gate controller identifies pods by uid.
 */
public final class PodToken {
  private static final int DIGITS = 8;

  private PodToken() {}

  /** A token of this pod. */
  public static String of(String random, PodIdentity pod) {
    return random + "-" + digits(random, pod);
  }

  /** Whether the token was made for a pod of this name. */
  public static boolean isOf(String token, PodIdentity pod) {
    int end = token.length() - DIGITS - 1;
    if (end < 1 || token.charAt(end) != '-') {
      return false;
    }
    return token.substring(end + 1).equals(digits(token.substring(0, end), pod));
  }

  /** A generated name is unknown when the token is made; its prefix counts. */
  private static String digits(String random, PodIdentity pod) {
    String name =
        pod.generateName() == null
            ? "name " + Objects.requireNonNullElse(pod.name(), "")
            : "prefix " + pod.generateName();
    CRC32 sum = new CRC32();
    sum.update(String.join("\n", random, pod.namespace(), name).getBytes(StandardCharsets.UTF_8));
    return HexFormat.of().toHexDigits(sum.getValue(), DIGITS);
  }
}
