package dev.cotenant.domain.device;

import dev.cotenant.domain.InputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A user's own devices: a CSV file in UTF-8 with the columns of the built-in catalogue.
 *
 * <p>Blank lines and lines that start with {@code #} are skipped. A device with the id of a
 * built-in device replaces it. The cell of a format that the hardware lacks is empty; the column
 * {@code fp32_matrix_teraflops} may be absent.
 *
 * @param path the file
 */
public record DeviceFile(Path path) {
  /** A device takes some 200 bytes; a larger file has different content. */
  private static final long MAX_BYTES = 1 << 20;

  /**
   * Reads the devices, in the order of the file.
   *
   * @throws InputException {@code devices-not-found}, {@code devices-unreadable} or {@code
   *     devices-malformed}, naming file and line
   */
  public List<Device> read() {
    List<String> lines = lines();
    String header = lines.isEmpty() ? "" : header(lines.getFirst());
    if (!DeviceCatalogueRow.isHeader(header)) {
      throw malformed(1, "the columns must be " + DeviceCatalogueRow.HEADER);
    }
    Map<DeviceId, Device> devices = new LinkedHashMap<>();
    for (int number = 2; number <= lines.size(); number++) {
      String line = lines.get(number - 1);
      if (!line.isBlank() && !line.startsWith("#")) {
        Device device = device(number, header, line);
        if (devices.put(device.id(), device) != null) {
          throw malformed(number, "'" + device.id() + "' stands in the file twice");
        }
      }
    }
    return List.copyOf(devices.values());
  }

  /** Devices as such a file holds them, line by line. */
  public static List<String> write(Collection<Device> devices) {
    List<String> lines = new ArrayList<>(List.of(DeviceCatalogueRow.HEADER));
    devices.forEach(device -> lines.add(DeviceCatalogueRow.write(device)));
    return lines;
  }

  private static String header(String line) {
    return line.replace("\uFEFF", "").replace(" ", "").strip();
  }

  private Device device(int number, String header, String line) {
    try {
      return DeviceCatalogueRow.parse(header, line);
    } catch (IllegalArgumentException e) {
      throw malformed(number, String.valueOf(e.getMessage()));
    }
  }

  private List<String> lines() {
    try {
      if (Files.size(path) > MAX_BYTES) {
        throw InputException.malformed(
            "devices-unreadable", path + " is larger than 1 MiB: name a CSV file of devices.");
      }
      return Files.readAllLines(path);
    } catch (NoSuchFileException e) {
      throw new InputException(
          InputException.Kind.NOT_FOUND, "devices-not-found", path + " does not exist.", e);
    } catch (IOException e) {
      throw new InputException(
          InputException.Kind.MALFORMED,
          "devices-unreadable",
          path + " cannot be read as text in UTF-8: name a CSV file of devices.",
          e);
    }
  }

  private InputException malformed(int line, String what) {
    return InputException.malformed(
        "devices-malformed", path + ":" + line + ": " + what.replaceAll("\\s+", " ") + ".");
  }
}
