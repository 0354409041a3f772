package dev.cotenant.interference.profile;

import dev.cotenant.domain.prediction.ServicePartition;
import dev.cotenant.domain.quantity.Share;

/**
 * A profiled service in its partition.
 *
 * @param profile its coefficients
 * @param device coefficients of the profiled device
 * @param batch samples a batch
 * @param share of the device's compute
 */
public record ProfiledPartition(
    WorkloadProfile profile, DeviceProfile device, int batch, Share share)
    implements ServicePartition {
  @Override
  public ProfiledPartition in(Share other) {
    return new ProfiledPartition(profile, device, batch, other);
  }

  @Override
  public ProfiledPartition within(Share limit) {
    Share step = device.shareStep();
    int steps = limit.permille() / step.permille();
    boolean isOfStep = steps > 0 && Math.ceil(step.times(steps).percent()) == limit.percent();
    return in(isOfStep ? step.times(steps) : limit);
  }

  /** Whether its times hold at this batch and share. */
  public boolean isProfiled() {
    return profile.range().covers(batch, share.percent());
  }
}
