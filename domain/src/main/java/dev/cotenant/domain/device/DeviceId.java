package dev.cotenant.domain.device;

/**
 * The name of a GPU product in the catalogue, such as {@code a100-40gb}.
 *
 * @param value lower-case letters, digits and hyphens
 */
public record DeviceId(String value) implements Comparable<DeviceId> {
  public DeviceId {
    if (!value.matches("[a-z0-9][a-z0-9-]*")) {
      throw new IllegalArgumentException(
          "value must be lower-case letters, digits and hyphens, is '" + value + "'");
    }
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
