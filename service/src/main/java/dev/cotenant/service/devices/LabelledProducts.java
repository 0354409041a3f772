package dev.cotenant.service.devices;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.quantity.MemorySize;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jboss.logging.Logger;

/**
 * Devices by the label {@code nvidia.com/gpu.product} of nodes. A product that the catalogue does
 * not list is logged once. Thread safe.
 */
public final class LabelledProducts implements Function<String, Optional<Device>> {
  private static final Logger LOG = Logger.getLogger(LabelledProducts.class);

  /** A cluster has a few products; labels beyond that are not logged. */
  private static final int MAX_REPORTED = 1_000;

  private final Supplier<DeviceCatalogue> devices;
  private final Set<String> reported = ConcurrentHashMap.newKeySet();

  /**
   * @param devices the catalogue, at present
   */
  public LabelledProducts(Supplier<DeviceCatalogue> devices) {
    this.devices = devices;
  }

  @Override
  public Optional<Device> apply(String label) {
    Optional<Device> device = devices.get().names().find(label, MemorySize.ZERO);
    if (device.isPresent()) {
      reported.remove(label);
    } else if (!label.isBlank() && reported.size() < MAX_REPORTED && reported.add(label)) {
      LOG.warnf(
          "GPUs of nodes with the label nvidia.com/gpu.product=%s are granted whole only: the"
              + " catalogue does not list that product; cotenant.devices.file adds products",
          label);
    }
    return device;
  }
}
