package dev.cotenant.domain.device;

import dev.cotenant.domain.InputException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** The GPUs that predictions are made for, in the order of the catalogue file. */
public final class DeviceCatalogue {
  private static final String RESOURCE = "catalogue.csv";
  private static final DeviceCatalogue BUILT_IN = readBuiltIn();

  private final Map<String, Device> byId;
  private final DeviceNames names;

  /** A catalogue of these devices; a later device replaces an earlier one of the same id. */
  public DeviceCatalogue(List<Device> devices) {
    Map<String, Device> map = new LinkedHashMap<>();
    devices.forEach(device -> map.put(device.id().value(), device));
    byId = Collections.unmodifiableMap(map);
    names = new DeviceNames(map.values());
  }

  /** These devices and then others; a later device replaces an earlier one of the same id. */
  public DeviceCatalogue plus(List<Device> others) {
    List<Device> all = new ArrayList<>(devices());
    all.addAll(others);
    return new DeviceCatalogue(all);
  }

  /** The devices the project ships, each with the source of its numbers. */
  public static DeviceCatalogue builtIn() {
    return BUILT_IN;
  }

  /** All devices, in the order of the catalogue. */
  public Collection<Device> devices() {
    return byId.values();
  }

  /** The products by the names of drivers and node labels. */
  public DeviceNames names() {
    return names;
  }

  /**
   * The device of this id or product name; of several memory sizes the smallest ({@code v100} is
   * {@code v100-16gb}).
   */
  public Optional<Device> find(String idOrName) {
    Device exact = byId.get(idOrName);
    return exact == null ? names.findExactly(idOrName) : Optional.of(exact);
  }

  /**
   * As {@link #find}.
   *
   * @throws InputException ({@code unknown-device}) naming the known ids
   */
  public Device require(String idOrName) {
    return find(idOrName)
        .orElseThrow(() -> InputException.unknown("device", idOrName, byId.keySet()));
  }

  private static DeviceCatalogue readBuiltIn() {
    try (InputStream stream =
            Objects.requireNonNull(DeviceCatalogue.class.getResourceAsStream(RESOURCE), RESOURCE);
        BufferedReader reader =
            new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
      String header = Objects.requireNonNull(reader.readLine(), RESOURCE);
      return new DeviceCatalogue(
          reader.lines().map(line -> DeviceCatalogueRow.parse(header, line)).toList());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
