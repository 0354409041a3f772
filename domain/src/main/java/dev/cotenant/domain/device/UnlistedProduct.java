package dev.cotenant.domain.device;

import dev.cotenant.domain.quantity.MemorySize;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * A product missing from the catalogue. It has no predictions, so its GPUs are granted whole.
 *
 * @param productName the driver's name, such as {@code NVIDIA-TITAN-RTX}
 * @param memory usable device memory
 */
public record UnlistedProduct(String productName, MemorySize memory) implements GpuProduct {
  private static final Pattern SEPARATORS = Pattern.compile("[^a-z0-9]+");
  private static final int MAX_ID = 64;

  /** {@code unlisted-nvidia-titan-rtx}, which no device of the catalogue is called. */
  @Override
  public DeviceId id() {
    String words =
        SEPARATORS.matcher("unlisted " + productName.toLowerCase(Locale.ROOT)).replaceAll("-");
    return new DeviceId(words.substring(0, Math.min(words.length(), MAX_ID)));
  }
}
