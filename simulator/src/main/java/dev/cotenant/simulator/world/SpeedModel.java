package dev.cotenant.simulator.world;

import dev.cotenant.domain.device.DeviceId;
import java.util.List;

/** The pace of work: part of the truth of a simulation, measured or stated by a preset. */
@FunctionalInterface
public interface SpeedModel {
  /**
   * Work per unit of time.
   *
   * @param own the job
   * @param others its neighbours on the GPU; empty when it is alone
   * @param device the GPU's product
   * @return positive; 1 is the pace of a job alone on the device in which work is counted
   */
  double speed(Phase.Load own, List<Phase.Load> others, DeviceId device);
}
