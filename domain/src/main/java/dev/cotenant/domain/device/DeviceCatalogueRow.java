package dev.cotenant.domain.device;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.workload.Precision;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** One line of a catalogue; its last column, the source, may hold commas. */
final class DeviceCatalogueRow {
  static final String HEADER =
      "id,product_name,memory_mib,fp32_teraflops,fp32_matrix_teraflops,tf32_teraflops,"
          + "fp16_teraflops,bf16_teraflops,bandwidth_gigabytes_per_second,streaming_multiprocessors,l2_kib,board_power_watts,"
          + "source";

  private static final List<Precision> TENSOR_FORMATS =
      List.of(Precision.TF32, Precision.FP16, Precision.BF16);

  private static final String FP32_MATRIX = "fp32_matrix_teraflops";

  /** Above the memory of any GPU; larger values are in a unit other than the column's. */
  private static final long MAX_MEMORY_MIB = 1L << 24;

  private static final long MAX_SMS = 1 << 16;
  private static final double MAX_RATE = 1e9;

  private final List<String> columns;
  private final List<String> cells;

  private DeviceCatalogueRow(List<String> columns, List<String> cells) {
    this.columns = columns;
    this.cells = cells;
  }

  /**
   * Whether a file with this first line can be read: {@link #HEADER}, with or without fp32
   * matrices.
   */
  static boolean isHeader(String header) {
    return header.equals(HEADER) || header.equals(HEADER.replace(FP32_MATRIX + ",", ""));
  }

  /**
   * Reads a line.
   *
   * @param header the first line of its file
   * @throws IllegalArgumentException naming the column that is wrong
   */
  static Device parse(String header, String line) {
    List<String> columns = List.of(header.split(",", -1));
    List<String> cells = new ArrayList<>();
    for (String cell : line.split(",", columns.size())) {
      cells.add(cell.strip());
    }
    if (cells.size() != columns.size()) {
      throw new IllegalArgumentException(
          "the line has " + cells.size() + " columns instead of " + columns.size());
    }
    return new DeviceCatalogueRow(columns, cells).device();
  }

  /** The line that {@link #parse} reads as this device. */
  static String write(Device device) {
    PeakRates peak = device.peak();
    return String.join(
        ",",
        device.id().value(),
        device.productName(),
        String.valueOf(device.memory().bytes() >> 20),
        rate(peak, Precision.FP32),
        peak.fp32Matrix() == null ? "" : plain(peak.fp32Matrix()),
        rate(peak, Precision.TF32),
        rate(peak, Precision.FP16),
        rate(peak, Precision.BF16),
        plain(device.bandwidthGigabytesPerSecond()),
        String.valueOf(device.streamingMultiprocessors()),
        String.valueOf(device.l2Cache().bytes() >> 10),
        plain(device.boardPowerWatts()),
        device.source());
  }

  private static String rate(PeakRates peak, Precision format) {
    return peak.formats().contains(format) ? plain(peak.teraflops(format)) : "";
  }

  private static String plain(double value) {
    return new BigDecimal(String.valueOf(value)).stripTrailingZeros().toPlainString();
  }

  private Device device() {
    return new Device(
        new DeviceId(text("id")),
        text("product_name"),
        MemorySize.ofMiB(whole("memory_mib", MAX_MEMORY_MIB)),
        rates(),
        number("bandwidth_gigabytes_per_second"),
        (int) whole("streaming_multiprocessors", MAX_SMS),
        MemorySize.ofKiB(whole("l2_kib", MAX_MEMORY_MIB)),
        number("board_power_watts"),
        text("source"));
  }

  private PeakRates rates() {
    Map<Precision, Double> rates = new EnumMap<>(Precision.class);
    rates.put(Precision.FP32, number("fp32_teraflops"));
    for (Precision format : TENSOR_FORMATS) {
      String column = format + "_teraflops";
      if (!cell(column).isEmpty()) {
        rates.put(format, number(column));
      }
    }
    return new PeakRates(rates, cell(FP32_MATRIX).isEmpty() ? null : number(FP32_MATRIX));
  }

  private String cell(String column) {
    int position = columns.indexOf(column);
    return position < 0 ? "" : cells.get(position);
  }

  private String text(String column) {
    String cell = cell(column);
    if (cell.isEmpty()) {
      throw new IllegalArgumentException(column + " is empty");
    }
    return cell;
  }

  private long whole(String column, long most) {
    String cell = text(column);
    if (cell.matches("[0-9]{1,9}")) {
      long value = Long.parseLong(cell);
      if (value >= 1 && value <= most) {
        return value;
      }
    }
    throw new IllegalArgumentException(
        column + " '" + cell + "' is not a whole number from 1 to " + most);
  }

  private double number(String column) {
    String cell = text(column);
    if (cell.matches("[0-9]{1,10}(\\.[0-9]{1,10})?")) {
      double value = Double.parseDouble(cell);
      if (value > 0 && value <= MAX_RATE) {
        return value;
      }
    }
    throw new IllegalArgumentException(column + " '" + cell + "' is not a number above 0");
  }
}
