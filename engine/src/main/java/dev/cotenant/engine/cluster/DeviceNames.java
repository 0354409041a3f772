package dev.cotenant.engine.cluster;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.quantity.MemorySize;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Recognises the products of the catalogue by what drivers call them, such as {@code NVIDIA
 * A100-SXM4-40GB} or {@code Tesla T4}.
 */
public final class DeviceNames {
  private static final Pattern MEMORY = Pattern.compile("-[0-9]+gb$");
  private static final Pattern SEPARATORS = Pattern.compile("[^a-z0-9]+");
  private static final Pattern LONE_TI = Pattern.compile("([0-9]) ti\\b");

  private final List<Product> products;

  /** A device and the words that name it, with a space on either side. */
  private record Product(Device device, String words) {
    static Product of(Device device) {
      String id = MEMORY.matcher(device.id().value()).replaceAll("");
      return new Product(device, squeezed(id.startsWith("rtx-") ? id.substring(4) : id));
    }
  }

  public DeviceNames(DeviceCatalogue catalogue) {
    products =
        catalogue.devices().stream()
            .map(Product::of)
            .sorted(
                Comparator.comparingInt((Product product) -> -product.words.length())
                    .thenComparing(product -> product.device.memory())
                    .thenComparing(product -> product.device.id()))
            .toList();
  }

  /**
   * The product of this name; of several sizes the smallest that has {@code usable} memory.
   *
   * @param usable zero where it is not known
   * @return empty where the catalogue has no such product
   */
  public Optional<Device> find(String driverName, MemorySize usable) {
    String name = squeezed(driverName);
    for (Product product : products) {
      // whole words only: an A100 is no A10, and an L40S no L4
      if (name.contains(product.words) && usable.isAtMost(product.device.memory())) {
        return Optional.of(product.device);
      }
    }
    return Optional.empty();
  }

  private static String squeezed(String text) {
    String words = SEPARATORS.matcher(text.toLowerCase(Locale.ROOT)).replaceAll(" ");
    return " " + LONE_TI.matcher(words).replaceAll("$1ti").strip() + " ";
  }
}
