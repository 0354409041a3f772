package dev.cotenant.placement.igniter;

import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.ServicePlanner;
import java.util.List;

/**
 * FFD++, a baseline of the iGniter paper [iGniter, section 5.3]: as {@link FirstFitDecreasing}, but
 * on the first GPU on which algorithm 2 can raise everyone far enough, instead of the one with the
 * least raises.
 *
 * <p>Ties are broken by name. Splitting, memory and kinds of device are as in {@link
 * IgniterPlanner}.
 */
public final class FirstFitWithRaising implements ServicePlanner {
  @Override
  public String name() {
    return "ffd++";
  }

  @Override
  public FleetPlan plan(Fleet fleet) {
    return DeviceChoice.plan(
        name(),
        fleet,
        (type, services) -> TypePlanning.planByName(type, services, FirstFitWithRaising::seating));
  }

  private static Seating seating(DeviceProfile device, OpenGpus gpus, List<List<Need>> needs) {
    ShareRaising raising = new ShareRaising(device);
    return new FirstFit(
        gpus,
        needs,
        (gpu, need) -> {
          int raise = raising.raise(gpus.get(gpu), need, ShareRaising.NEVER);
          if (raise < ShareRaising.NEVER) {
            raising.apply(gpus.change(gpu));
          }
          return raise < ShareRaising.NEVER;
        });
  }
}
