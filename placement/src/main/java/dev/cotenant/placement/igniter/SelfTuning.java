package dev.cotenant.placement.igniter;

import dev.cotenant.domain.quantity.Share;
import dev.cotenant.interference.partition.GpuState;
import dev.cotenant.interference.profile.DeviceProfile;
import java.util.List;

/** iGniter's places, then shares and batches by what was measured last. */
final class SelfTuning implements Rules {
  /*
   * A round measures everyone at once, then each is changed on its own: later than half its
   * objective, or earlier than that by more than the threshold, and its share goes up or down a step;
   * else, when it does not keep up with its rate, its batch grows by one.
   */
  private static final int ADJUSTMENTS = 5;
  private static final double THRESHOLD = 0.1;
  private static final double STEP = 0.1;

  @Override
  public Placer placer(DeviceProfile device, OpenGpus gpus, List<List<Need>> needs) {
    return new LeastIncrease(device, gpus, needs);
  }

  @Override
  public void finish(DeviceProfile device, OpenGpus gpus) {
    for (int i = 0; i < gpus.size(); i++) {
      tune(device, gpus.unit(), gpus.get(i));
    }
  }

  private static void tune(DeviceProfile device, Share unit, GpuLoad gpu) {
    for (int i = 0; i < gpu.count(); i++) {
      gpu.setUnits(i, gpu.need(i).lowerUnits());
    }
    GpuState measured = new GpuState(device, gpu.count());
    for (int round = 0; round < ADJUSTMENTS; round++) {
      gpu.placeIn(measured, unit);
      if (measured.evaluate() != GpuState.Status.VALID) {
        return;
      }
      for (int i = 0; i < gpu.count(); i++) {
        adjust(gpu, i, measured, unit);
      }
    }
  }

  private static void adjust(GpuLoad gpu, int i, GpuState measured, Share unit) {
    Need need = gpu.need(i);
    double latency = measured.latencyMillis(i);
    int step = (int) Math.max(1, Math.round(STEP * unit.perGpu()));
    if (latency > need.budgetMillis()) {
      int left = unit.perGpu() - gpu.usedUnits();
      gpu.setUnits(i, gpu.units(i) + Math.min(step, left));
    } else if (latency < (1 - THRESHOLD) * need.budgetMillis()) {
      gpu.setUnits(i, Math.max(1, gpu.units(i) - step));
    } else if (measured.throughputPerSecond(i) < need.requestsPerSecond()) {
      gpu.setBatch(i, need.batch() + 1);
    }
  }
}
