package dev.cotenant.domain.device;

import dev.cotenant.domain.quantity.MemorySize;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Recognises the products of a catalogue by the names of drivers, DCGM and node labels, such as
 * {@code NVIDIA A100-SXM4-40GB}, {@code Tesla T4} or {@code NVIDIA-GeForce-RTX-4090}.
 */
public final class DeviceNames {
  private static final Pattern MEMORY = Pattern.compile("-[0-9]+gb$");
  private static final Pattern SEPARATORS = Pattern.compile("[^a-z0-9]+");
  private static final Pattern LONE_SUFFIX = Pattern.compile("([0-9]) (ti|gb)\\b");

  private static final Pattern GIGABYTES = Pattern.compile("[0-9]{1,4}gb");

  /** Names round: an H200 of 141 GB has 140.4 GiB. */
  private static final double TOLERANCE = 0.02;

  /** Words of products with other rates than the one whose name they extend. */
  private static final Set<String> VARIANTS = Set.of("laptop", "max", "super", "d", "mobile");

  /** Words of makers, boards and memory, which tell no products apart. */
  private static final Set<String> GENERIC =
      Set.of(
          "nvidia",
          "tesla",
          "geforce",
          "quadro",
          "rtx",
          "gtx",
          "amd",
          "instinct",
          "oam",
          "gpu",
          "sxm",
          "sxm2",
          "sxm3",
          "sxm4",
          "sxm5",
          "sxm6",
          "pcie",
          "nvl",
          "hbm2",
          "hbm2e",
          "hbm3",
          "hbm3e",
          "server",
          "workstation",
          "edition",
          "generation",
          "blackwell");

  private final List<Product> products;

  /** A device and the words that name it. */
  private record Product(Device device, Set<String> words) {
    static Product of(Device device) {
      String id = MEMORY.matcher(device.id().value()).replaceAll("");
      return new Product(device, wordsOf(id.startsWith("rtx-") ? id.substring(4) : id));
    }

    private int specificity() {
      return words.size();
    }
  }

  DeviceNames(Collection<Device> devices) {
    products =
        devices.stream()
            .map(Product::of)
            .sorted(
                Comparator.comparingInt(Product::specificity)
                    .reversed()
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
    Set<String> name = wordsOf(driverName);
    if (name.stream().anyMatch(VARIANTS::contains)) {
      return Optional.empty();
    }
    // whole words only: an A100 is no A10, and an L40S no L4
    return products.stream()
        .filter(product -> name.containsAll(product.words))
        .map(Product::device)
        .filter(device -> !usable.equals(MemorySize.ZERO) || agrees(name, device))
        .filter(device -> usable.isAtMost(device.memory()))
        .findFirst();
  }

  /**
   * As {@link #find}, of a name that a person wrote: every word of it must belong to the product,
   * be its memory size, or name a maker or board, so that a misspelt name is no other product.
   */
  public Optional<Device> findExactly(String name) {
    Set<String> words = wordsOf(name);
    return name.contains(",")
        ? Optional.empty()
        : find(name, MemorySize.ZERO)
            .filter(device -> {
              Set<String> known = new HashSet<>(Product.of(device).words);
              known.addAll(wordsOf(device.productName()));
              return words.stream()
                  .allMatch(word ->
                      known.contains(word)
                          || GENERIC.contains(word)
                          || GIGABYTES.matcher(word).matches());
            });
  }

  /**
   * Whether a memory size in a name is that of the device; more than any device has is not about
   * the GPU ({@code GH200 480GB}).
   */
  private boolean agrees(Set<String> name, Device device) {
    return name.stream()
        .filter(word -> GIGABYTES.matcher(word).matches())
        .map(word -> MemorySize.ofGiB(Integer.parseInt(word.substring(0, word.length() - 2))))
        .filter(stated -> products.stream().anyMatch(p -> stated.isAtMost(p.device.memory())))
        .allMatch(stated -> {
          double ratio = (double) stated.bytes() / device.memory().bytes();
          return ratio > 1 - TOLERANCE && ratio < 1 + TOLERANCE;
        });
  }

  private static Set<String> wordsOf(String text) {
    String words = SEPARATORS.matcher(text.toLowerCase(Locale.ROOT)).replaceAll(" ");
    return new HashSet<>(
        Arrays.asList(LONE_SUFFIX.matcher(words).replaceAll("$1$2").strip().split(" ")));
  }
}
