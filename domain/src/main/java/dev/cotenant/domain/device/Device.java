package dev.cotenant.domain.device;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.workload.Precision;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * One GPU as a product.
 *
 * @param id its name in the catalogue
 * @param productName its maker's name
 * @param memory nominal device memory; what a workload can use is smaller
 * @param peak dense peak rates
 * @param bandwidthGigabytesPerSecond peak device-memory bandwidth in 10^9 bytes per second
 * @param streamingMultiprocessors SM count
 * @param l2Cache L2 size
 * @param boardPowerWatts board power limit
 * @param source where the numbers come from
 */
public record Device(
    DeviceId id,
    String productName,
    MemorySize memory,
    PeakRates peak,
    double bandwidthGigabytesPerSecond,
    int streamingMultiprocessors,
    MemorySize l2Cache,
    double boardPowerWatts,
    String source)
    implements GpuProduct {
  public Device {
    PeakRates.requirePositive("bandwidthGigabytesPerSecond", bandwidthGigabytesPerSecond);
    PeakRates.requirePositive("streamingMultiprocessors", streamingMultiprocessors);
    PeakRates.requirePositive("boardPowerWatts", boardPowerWatts);
  }

  /**
   * Refuses a precision that the hardware lacks.
   *
   * @throws InputException ({@code precision-unavailable}) listing the available precisions
   */
  public void requirePrecision(Precision precision) {
    if (!peak.computes(precision)) {
      String available =
          Arrays.stream(Precision.values())
              .filter(peak::computes)
              .map(Precision::toString)
              .collect(Collectors.joining(", "));
      throw InputException.invalidArgument(
          "precision-unavailable",
          "The device "
              + id.value()
              + " does not compute "
              + precision
              + ": it computes "
              + available
              + ".");
    }
  }
}
