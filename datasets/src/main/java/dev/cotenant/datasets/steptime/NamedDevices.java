package dev.cotenant.datasets.steptime;

import dev.cotenant.datasets.file.UnusableRowException;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.quantity.MemorySize;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Finds catalogue devices by the names that published sets give them. */
public final class NamedDevices {
  private static final Pattern MEMORY = Pattern.compile("([0-9]{1,3})gb");

  /** What a driver offers of the memory that a name states. */
  private static final double USABLE = 0.9;

  private NamedDevices() {}

  /**
   * The device of a name such as {@code A100-80GB}, {@code Tesla_T4} or {@code rtx3090}.
   *
   * @throws UnusableRowException when the catalogue has none
   */
  public static Device require(String column, String name) {
    String lower = name.toLowerCase(Locale.ROOT).replace('_', ' ').strip();
    String words = lower.replace("rtx", " rtx ");
    String split =
        words.replaceAll("([a-z])([0-9])", "$1 $2").replaceAll("([0-9])([a-z])", "$1 $2");
    return Stream.of(lower, words, split)
        .map(candidate -> find(candidate, lower))
        .flatMap(Optional::stream)
        .findFirst()
        .orElseThrow(() ->
            new UnusableRowException(column + " '" + name + "' is not a device of the catalogue"));
  }

  private static Optional<Device> find(String candidate, String name) {
    Matcher memory = MEMORY.matcher(name.replace(" ", ""));
    MemorySize usable =
        memory.find()
            ? MemorySize.ofGiB(Long.parseLong(memory.group(1))).times(USABLE)
            : MemorySize.ZERO;
    DeviceCatalogue catalogue = DeviceCatalogue.builtIn();
    Optional<Device> sized = catalogue.names().find(candidate, usable);
    return sized.isPresent() ? sized : catalogue.find(candidate);
  }
}
