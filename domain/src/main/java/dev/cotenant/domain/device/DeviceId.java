package dev.cotenant.domain.device;

/**
 * The name of a GPU product in the catalogue, such as {@code a100-40gb}.
 *
 * @param value lower-case letters, digits and hyphens
 */
public record DeviceId(String value) implements Comparable<DeviceId> {
  public DeviceId {
    if (!isName(value)) {
      throw new IllegalArgumentException(
          "value must be lower-case letters, digits and hyphens, is '" + value + "'");
    }
  }

  /** Avoids a regular expression, since every command runs it at its start. */
  private static boolean isName(String value) {
    for (int i = 0; i < value.length(); i++) {
      char letter = value.charAt(i);
      boolean isLetterOrDigit =
          (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9');
      if (!isLetterOrDigit && (i == 0 || letter != '-')) {
        return false;
      }
    }
    return !value.isEmpty();
  }

  @Override
  public int compareTo(DeviceId other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
