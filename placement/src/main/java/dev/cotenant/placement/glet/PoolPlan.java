package dev.cotenant.placement.glet;

import java.util.List;

/**
 * What a strategy makes of one kind of GPU.
 *
 * @param layouts GPUs in use, in the order in which they were opened
 * @param left those that have no place
 */
public record PoolPlan(List<GpuLayout> layouts, List<Tenant> left) {
  public PoolPlan {
    layouts = List.copyOf(layouts);
    left = List.copyOf(left);
  }
}
