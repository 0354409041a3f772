package dev.cotenant.placement.glet;

import dev.cotenant.placement.fleet.PlannedGpu;
import java.util.List;

/**
 * What a strategy makes of one kind of GPU.
 *
 * @param layouts used GPUs in the order of opening
 * @param left those that have no place
 */
public record PoolPlan(List<GpuLayout> layouts, List<Tenant> left) {
  public PoolPlan {
    layouts = List.copyOf(layouts);
    left = List.copyOf(left);
  }

  /** The used GPUs as planned GPUs of a device. */
  public List<PlannedGpu> planned(String device) {
    return layouts.stream().map(layout -> layout.planned(device)).toList();
  }
}
