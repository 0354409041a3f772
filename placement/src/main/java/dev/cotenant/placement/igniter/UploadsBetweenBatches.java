package dev.cotenant.placement.igniter;

import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.placement.fleet.DeviceType;
import dev.cotenant.placement.fleet.Service;
import java.util.List;

/** iGniter's rules for needs with room for uploads. */
final class UploadsBetweenBatches implements Rules {
  @Override
  public Sizing size(DeviceType type, Service service) {
    return Sizing.of(type, service, Uploads.BETWEEN_BATCHES);
  }

  @Override
  public Placer placer(DeviceProfile device, OpenGpus gpus, List<List<Need>> needs) {
    return new LeastIncrease(device, gpus, needs);
  }
}
