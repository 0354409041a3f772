package dev.cotenant.placement.igniter;

import dev.cotenant.domain.quantity.Share;
import dev.cotenant.interference.partition.GpuState;
import dev.cotenant.interference.profile.DeviceProfile;
import java.util.TreeSet;

/**
 * The GPU with at most one tenant and the least sufficient free share, if the newcomer meets its
 * latency there.
 */
final class BestFitOfTwo implements Placer {
  private final OpenGpus gpus;
  private final Share unit;
  private final GpuState pair;
  private final TreeSet<Integer> single = new TreeSet<>();

  BestFitOfTwo(DeviceProfile device, OpenGpus gpus) {
    this.gpus = gpus;
    unit = gpus.unit();
    pair = new GpuState(device, 2);
  }

  @Override
  public boolean place(Need need) {
    int best = -1;
    for (int gpu : single) {
      if (gpus.mayTake(gpu, need)
          && (best < 0 || gpus.left(gpu) < gpus.left(best))
          && isInTime(need, gpus.get(gpu))) {
        best = gpu;
      }
    }
    if (best < 0) {
      return open(need);
    }
    gpus.change(best).add(need, need.lowerUnits());
    single.remove(best);
    return true;
  }

  private boolean open(Need need) {
    boolean opened = gpus.open(need, need.lowerUnits());
    if (opened) {
      single.add(gpus.size() - 1);
    }
    return opened;
  }

  @Override
  public void changed(int gpu) {
    single.remove(gpu);
    if (gpu < gpus.size() && gpus.get(gpu).count() == 1) {
      single.add(gpu);
    }
  }

  private boolean isInTime(Need newcomer, GpuLoad gpu) {
    gpu.placeIn(pair, unit);
    pair.place(newcomer.profile(), newcomer.batch(), unit.percentOf(newcomer.lowerUnits()));
    return pair.evaluate() == GpuState.Status.VALID
        && pair.latencyMillis(1) <= newcomer.budgetMillis();
  }
}
