package dev.cotenant.placement.glet;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Layouts of a plan in progress, with undo back to a mark. */
final class UndoableLayouts {
  /** Layout of a place before a change; null for a new place. */
  private record Change(int index, @Nullable GpuLayout before) {}

  private final int limit;
  private final List<GpuLayout> layouts = new ArrayList<>();
  private final Deque<Change> changes = new ArrayDeque<>();

  /**
   * @param limit how many GPUs there are
   */
  UndoableLayouts(int limit) {
    this.limit = limit;
  }

  /** One gpu-let of one GPU. */
  record GpuletIndex(int gpu, int gpulet) {}

  /** The GPUs opened so far. */
  List<GpuLayout> all() {
    return List.copyOf(layouts);
  }

  int opened() {
    return layouts.size();
  }

  /** Whether one more GPU can be opened. */
  boolean more() {
    return layouts.size() < limit;
  }

  /** A GPU opened, or a whole free one at the next index. */
  GpuLayout get(int index) {
    return index == layouts.size() ? GpuLayout.WHOLE : layouts.get(index);
  }

  /** Puts a GPU in its place; at the next index it is opened. */
  void put(int index, GpuLayout layout) {
    if (index == layouts.size()) {
      changes.push(new Change(index, null));
      layouts.add(layout);
    } else {
      changes.push(new Change(index, layouts.set(index, layout)));
    }
  }

  int mark() {
    return changes.size();
  }

  /** Undoes what was done since. */
  void undoTo(int mark) {
    while (changes.size() > mark) {
      Change change = changes.pop();
      if (change.before() == null) {
        layouts.remove(change.index());
      } else {
        layouts.set(change.index(), change.before());
      }
    }
  }
}
