package dev.cotenant.interference;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.interference.training.ProductFormula;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What a model says of two jobs on a whole GPU whose graphs are both known, as a formula of a few
 * multiplications, fast enough for thousands of pairs.
 */
public final class GraphPairs {
  private final Supplier<DeviceCatalogue> catalogue;
  private final ProductFormula formula;

  GraphPairs(Supplier<DeviceCatalogue> catalogue, ProductFormula formula) {
    this.catalogue = catalogue;
    this.formula = formula;
  }

  /** What the model takes this device to be; empty where it does not know it. */
  public Optional<Device> device(DeviceId id) {
    return catalogue.get().find(id.value());
  }

  /** The slowdown of the job that suffers most, at least 1; the mean of the model's answer. */
  public double worstSlowdown(GraphUsage one, GraphUsage other) {
    return 1 / Math.min(speed(one, other), speed(other, one));
  }

  private double speed(GraphUsage own, GraphUsage other) {
    return formula.speed(
        own.utilizationPercent() / 100.0,
        other.utilizationPercent() / 100.0,
        own.bandwidthPercent() / 100.0,
        other.bandwidthPercent() / 100.0);
  }
}
