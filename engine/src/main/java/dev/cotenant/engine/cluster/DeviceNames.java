package dev.cotenant.engine.cluster;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.quantity.MemorySize;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Recognises the products of the catalogue by what drivers call them, such as {@code NVIDIA
 * A100-SXM4-40GB} or {@code Tesla T4}.
 */
public final class DeviceNames {
  private static final Pattern MEMORY = Pattern.compile("-[0-9]+gb$");

  private final DeviceCatalogue catalogue;

  public DeviceNames(DeviceCatalogue catalogue) {
    this.catalogue = catalogue;
  }

  /**
   * The product of this name; of several sizes the smallest that has {@code usable} memory.
   *
   * @return empty where the catalogue has no such product
   */
  public Optional<Device> find(String driverName, MemorySize usable) {
    String name = squeezed(driverName);
    return catalogue.devices().stream()
        .filter(device -> names(device, name) && usable.isAtMost(device.memory()))
        .min(
            Comparator.comparingInt((Device device) -> -product(device).length())
                .thenComparing(Device::memory)
                .thenComparing(Device::id));
  }

  /** Whole words only: an A100 is no A10, and an L40S no L4. */
  private static boolean names(Device device, String name) {
    return Pattern.compile("(^| )" + Pattern.quote(product(device)) + "( |$)").matcher(name).find();
  }

  /** The id without its memory and line of products: {@code a100}, {@code 2080ti}. */
  private static String product(Device device) {
    return squeezed(MEMORY.matcher(device.id().value()).replaceAll("").replaceFirst("^rtx-", ""));
  }

  private static String squeezed(String text) {
    return text.toLowerCase(Locale.ROOT)
        .replaceAll("[^a-z0-9]+", " ")
        .replaceAll("([0-9]) ti\\b", "$1ti")
        .strip();
  }
}
