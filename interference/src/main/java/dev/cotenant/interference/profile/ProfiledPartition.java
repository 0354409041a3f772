package dev.cotenant.interference.profile;

import dev.cotenant.domain.prediction.ServicePartition;
import dev.cotenant.domain.quantity.Share;

/**
 * A profiled service in its partition.
 *
 * @param profile its coefficients
 * @param device the coefficients of the device that it was profiled on
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
    int step = device.shareStep().permille();
    int most = limit.equals(Share.WHOLE) ? limit.permille() : limit.permille() / step * step;
    return in(new Share(Math.max(step, most)));
  }

  /** Whether its times hold at this batch and share. */
  public boolean isProfiled() {
    return profile.range().covers(batch, share.percent());
  }
}
