package dev.cotenant.placement.glet;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.placement.fleet.PlannedGpu;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One GPU: whole or in two gpu-lets [gpu-lets, section 6].
 *
 * @param lets one or two, whose sizes add up to the GPU
 */
record Card(List<Let> lets) {
  static final Card WHOLE = new Card(List.of(Let.free(Size.WHOLE)));

  Card {
    lets = List.copyOf(lets);
  }

  /** Two free gpu-lets, or one where the first takes the GPU. */
  static Card split(Size first) {
    return first == Size.WHOLE ? WHOLE : new Card(List.of(Let.free(first), Let.free(first.rest())));
  }

  Card with(int index, Let let) {
    List<Let> changed = new ArrayList<>(lets);
    changed.set(index, let);
    return new Card(changed);
  }

  /** The same with one more turn in a gpu-let. */
  Card with(int index, Seat seat) {
    return with(index, lets.get(index).with(seat));
  }

  boolean isFree() {
    return lets.stream().allMatch(Let::isFree);
  }

  /** What runs beside a gpu-let; null where nothing does. */
  @Nullable Let beside(int index) {
    if (lets.size() == 1) {
      return null;
    }
    Let other = lets.get(1 - index);
    return other.isFree() ? null : other;
  }

  /** What its tenants hold, each in each gpu-let. */
  MemorySize memory() {
    MemorySize sum = MemorySize.ZERO;
    for (Let let : lets) {
      for (Seat seat : let.seats()) {
        sum = sum.plus(seat.tenant().memory());
      }
    }
    return sum;
  }

  PlannedGpu planned(String device) {
    return PlannedGpu.serving(
        device, lets.stream().filter(let -> !let.isFree()).map(Let::partition).toList());
  }
}
