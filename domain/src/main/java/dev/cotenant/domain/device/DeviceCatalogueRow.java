package dev.cotenant.domain.device;

import dev.cotenant.domain.quantity.MemorySize;

/** One line of the shipped catalogue; its last column, the source, may hold no comma. */
final class DeviceCatalogueRow {
  private static final int COLUMNS = 12;

  private DeviceCatalogueRow() {}

  static Device parse(String line) {
    String[] cells = line.split(",", -1);
    if (cells.length != COLUMNS) {
      throw new IllegalStateException(
          "catalogue row has " + cells.length + " columns instead of " + COLUMNS + ": " + line);
    }
    return new Device(
        new DeviceId(cells[0]),
        cells[1],
        MemorySize.ofMiB(Long.parseLong(cells[2])),
        new PeakRates(number(cells[3]), number(cells[4]), number(cells[5]), number(cells[6])),
        number(cells[7]),
        Integer.parseInt(cells[8]),
        MemorySize.ofKiB(Long.parseLong(cells[9])),
        number(cells[10]),
        cells[11]);
  }

  private static double number(String cell) {
    return Double.parseDouble(cell);
  }
}
