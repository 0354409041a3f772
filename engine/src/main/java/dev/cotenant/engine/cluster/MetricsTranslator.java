package dev.cotenant.engine.cluster;

import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceNames;
import dev.cotenant.domain.device.GpuProduct;
import dev.cotenant.domain.device.UnlistedProduct;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.forecast.prometheus.DeviceMetrics;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;

/** Converts GPU metrics into readings; the ledger adds the tenants. */
public final class MetricsTranslator {
  private final Supplier<DeviceNames> products;

  /**
   * @param products the known products, at present
   */
  public MetricsTranslator(Supplier<DeviceNames> products) {
    this.products = products;
  }

  /**
   * GPUs from metrics.
   *
   * @param problems a line for each GPU that is skipped or whose product the catalogue lacks
   */
  public record Translation(List<GpuReading> readings, List<String> problems) {
    public Translation {
      readings = List.copyOf(readings);
      problems = List.copyOf(problems);
    }
  }

  /**
   * GPUs of the catalogue's products, and those of others as {@link UnlistedProduct}. A GPU without
   * a product name or capacity is skipped.
   */
  public Translation translate(List<DeviceMetrics> devices) {
    DeviceNames names = products.get();
    List<GpuReading> readings = new ArrayList<>(devices.size());
    List<String> problems = new ArrayList<>();
    for (DeviceMetrics metrics : devices) {
      MemorySize usable = metrics.capacity();
      Optional<Device> listed =
          names.find(metrics.modelName(), usable == null ? MemorySize.ZERO : usable);
      if (metrics.modelName().isBlank()) {
        problems.add(metrics.uuid() + " skipped: metrics do not name its product");
      } else if (usable == null && !(metrics.mig() && listed.isPresent())) {
        problems.add(metrics.uuid() + " skipped: used and free memory are not both known");
      } else {
        GpuProduct product =
            listed.isPresent()
                ? listed.get()
                : new UnlistedProduct(metrics.modelName(), Objects.requireNonNull(usable));
        readings.add(reading(metrics, product, usable == null ? product.memory() : usable));
        if (listed.isEmpty()) {
          problems.add(
              metrics.uuid()
                  + " is granted whole only: the catalogue does not list '"
                  + metrics.modelName()
                  + "' with "
                  + usable
                  + "; cotenant.devices.file adds products");
        }
      }
    }
    return new Translation(readings, problems);
  }

  private static GpuReading reading(
      DeviceMetrics metrics, GpuProduct product, MemorySize capacity) {
    return new GpuReading(
        metrics.uuid(),
        metrics.node(),
        product,
        capacity,
        metrics.mig() ? new Tenancy.Mig() : new Tenancy.Shared(List.of()),
        metrics.used(),
        metrics.utilization(),
        metrics.pods(),
        metrics.index());
  }
}
