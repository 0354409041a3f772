package dev.cotenant.placement.igniter;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.placement.fleet.DeviceType;
import dev.cotenant.placement.fleet.Service;
import java.util.List;

/**
 * iGniter's rules for needs with room for uploads. Where memory depends on the batch, a need holds
 * that of its own batch, at most a whole GPU: InSS's search then takes a batch that fits.
 */
final class UploadsBetweenBatches implements Rules {
  @Override
  public Sizing size(DeviceType type, Service service) {
    if (service.memoryByBatch() == null) {
      return Sizing.of(type, service, Uploads.BETWEEN_BATCHES);
    }
    Service least = service.holding(service.memoryAt(1));
    return switch (Sizing.of(type, least, Uploads.BETWEEN_BATCHES)) {
      case Sizing.Impossible impossible -> impossible;
      case Sizing.Parts parts -> {
        MemorySize held = service.memoryAt(parts.needs().getFirst().batch());
        Service own = service.holding(held.min(type.memory()));
        yield Sizing.of(type, own, Uploads.BETWEEN_BATCHES);
      }
    };
  }

  @Override
  public Placer placer(DeviceProfile device, OpenGpus gpus, List<List<Need>> needs) {
    return new LeastIncrease(device, gpus, needs);
  }
}
