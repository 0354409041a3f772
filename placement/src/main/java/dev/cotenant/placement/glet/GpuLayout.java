package dev.cotenant.placement.glet;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.placement.fleet.PlannedGpu;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One GPU: whole or in two gpu-lets [gpu-lets, section 6].
 *
 * @param gpulets one or two, whose sizes add up to the GPU
 */
public record GpuLayout(List<Gpulet> gpulets) {
  static final GpuLayout WHOLE = new GpuLayout(List.of(Gpulet.free(Size.WHOLE)));

  public GpuLayout {
    gpulets = List.copyOf(gpulets);
  }

  /** Two free gpu-lets, or one where the first takes the GPU. */
  static GpuLayout split(Size first) {
    return first == Size.WHOLE
        ? WHOLE
        : new GpuLayout(List.of(Gpulet.free(first), Gpulet.free(first.rest())));
  }

  GpuLayout with(int index, Gpulet gpulet) {
    List<Gpulet> changed = new ArrayList<>(gpulets);
    changed.set(index, gpulet);
    return new GpuLayout(changed);
  }

  /** Copy with an additional turn in a gpu-let. */
  GpuLayout with(int index, Assignment assignment) {
    return with(index, gpulets.get(index).with(assignment));
  }

  boolean isFree() {
    return gpulets.stream().allMatch(Gpulet::isFree);
  }

  /** What runs beside a gpu-let; null where nothing does. */
  @Nullable Gpulet beside(int index) {
    if (gpulets.size() == 1) {
      return null;
    }
    Gpulet other = gpulets.get(1 - index);
    return other.isFree() ? null : other;
  }

  /** Memory of its tenants, once per gpu-let. */
  MemorySize memory() {
    MemorySize sum = MemorySize.ZERO;
    for (Gpulet gpulet : gpulets) {
      for (Assignment assignment : gpulet.assignments()) {
        sum = sum.plus(assignment.tenant().memory());
      }
    }
    return sum;
  }

  PlannedGpu planned(String device) {
    return PlannedGpu.serving(
        device,
        gpulets.stream().filter(gpulet -> !gpulet.isFree()).map(Gpulet::partition).toList());
  }
}
