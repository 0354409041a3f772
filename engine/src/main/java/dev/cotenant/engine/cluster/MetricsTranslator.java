package dev.cotenant.engine.cluster;

import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.forecast.prometheus.DeviceMetrics;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Turns what metrics show of GPUs into readings; who holds them is the ledger's matter. */
public final class MetricsTranslator {
  private final DeviceNames names;

  public MetricsTranslator(DeviceNames names) {
    this.names = names;
  }

  /**
   * What became of some devices.
   *
   * @param skipped a line for each that could not be understood
   */
  public record Translation(List<GpuReading> readings, List<String> skipped) {
    public Translation {
      readings = List.copyOf(readings);
      skipped = List.copyOf(skipped);
    }
  }

  /** A device whose product or capacity is unknown cannot be decided about and is skipped. */
  public Translation translate(List<DeviceMetrics> devices) {
    List<GpuReading> readings = new ArrayList<>(devices.size());
    List<String> skipped = new ArrayList<>();
    for (DeviceMetrics metrics : devices) {
      MemorySize capacity = metrics.capacity();
      Optional<Device> device =
          names.find(metrics.modelName(), capacity == null ? MemorySize.ZERO : capacity);
      if (device.isEmpty()) {
        skipped.add(
            metrics.uuid()
                + ": no product of the catalogue is called '"
                + metrics.modelName()
                + "'"
                + (capacity == null ? "" : " and has " + capacity));
      } else if (capacity == null && !metrics.mig()) {
        skipped.add(metrics.uuid() + ": used and free memory are not both known");
      } else {
        readings.add(reading(metrics, device.get(), capacity));
      }
    }
    return new Translation(readings, skipped);
  }

  private static GpuReading reading(
      DeviceMetrics metrics, Device device, @Nullable MemorySize capacity) {
    return new GpuReading(
        metrics.uuid(),
        metrics.node(),
        device,
        capacity == null ? device.memory() : capacity,
        metrics.mig() ? new Tenancy.Mig() : new Tenancy.Shared(List.of()),
        metrics.used(),
        metrics.utilization());
  }
}
