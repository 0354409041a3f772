package dev.cotenant.lab.plans;

import dev.cotenant.domain.quantity.Share;
import dev.cotenant.lab.plans.TimedGpu.Change;
import dev.cotenant.lab.plans.TimedGpu.Reading;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.Partition;
import dev.cotenant.placement.fleet.PlannedGpu;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * iGniter's guard against prediction errors: where the 99th percentile of a workload was beyond its
 * objective in the first second and still is half a second later, a standby process with min(10 %,
 * what the GPU has left) more replaces the first one at once [iGniter, sections 4.2 and 5.3].
 *
 * <p>Periods must be of half a second. A workload has one standby process. Of several violated
 * workloads the first by index takes what is left first; the paper does not state an order.
 */
public final class ShadowProcess implements TimedGpu.Controller {
  private static final double FIRST_CHECK_MILLIS = 1_000;
  private static final int MAX_EXTRA_PERMILLE = 100;

  private final Fleet fleet;
  private final Set<Integer> suspected = new HashSet<>();
  private final Set<Integer> replaced = new HashSet<>();

  /** For partitions of this fleet. */
  public ShadowProcess(Fleet fleet) {
    this.fleet = fleet;
  }

  @Override
  public List<Change> after(double nowMillis, PlannedGpu gpu, List<Reading> readings) {
    List<Change> changes = new ArrayList<>();
    int left = Share.WHOLE.permille();
    for (Partition partition : gpu.partitions()) {
      left -= partition.share().permille();
    }
    for (int i = 0; nowMillis >= FIRST_CHECK_MILLIS && i < readings.size(); i++) {
      Partition partition = gpu.partitions().get(i);
      boolean violated = readings.get(i).p99Millis() > TimedGpu.objectiveMillis(fleet, partition);
      int extra = Math.min(MAX_EXTRA_PERMILLE, left);
      if (!violated) {
        suspected.remove(i);
      } else if (!suspected.add(i) && extra > 0 && replaced.add(i)) {
        left -= extra;
        Share share = new Share(partition.share().permille() + extra);
        changes.add(new Change(i, new Partition(share, partition.turns()), nowMillis));
      }
    }
    return changes;
  }
}
