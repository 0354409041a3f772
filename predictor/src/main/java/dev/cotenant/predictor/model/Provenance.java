package dev.cotenant.predictor.model;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.quantity.Coverage;
import java.util.List;

/**
 * Where a predictor comes from; it travels inside the model file.
 *
 * @param dataSets its training sets, in the given order
 * @param devices the devices of the training rows, sorted
 * @param families the model families of the training rows, sorted
 * @param seed the seed every random choice follows from
 * @param settings forest settings by target, for people
 * @param coverage the share of cases that each bound is meant to hold
 */
public record Provenance(
    List<DataSet> dataSets,
    List<DeviceId> devices,
    List<String> families,
    long seed,
    List<String> settings,
    Coverage coverage) {
  public Provenance {
    dataSets = List.copyOf(dataSets);
    devices = List.copyOf(devices);
    families = List.copyOf(families);
    settings = List.copyOf(settings);
  }

  /**
   * One set of measured runs.
   *
   * @param format the set's name
   * @param sha256 of the file as it was read, 64 hexadecimal digits
   * @param rowsRead rows that could be read
   * @param rowsUsed rows that trees learned from; suspected crashes are left out
   * @param rowsRejected rows that could not be read
   */
  public record DataSet(
      String format, String sha256, int rowsRead, int rowsUsed, int rowsRejected) {}
}
