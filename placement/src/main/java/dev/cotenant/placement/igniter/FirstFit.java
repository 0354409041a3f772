package dev.cotenant.placement.igniter;

import java.util.List;

/** The first GPU with enough left on which a strategy lets a newcomer in. */
final class FirstFit implements Placer {
  private static final int TREE_BITS = 6;

  /** Lets a need in on a GPU that has its lower bound and its memory left, or changes nothing. */
  @FunctionalInterface
  interface Entry {
    boolean join(int gpu, Need need);
  }

  private final OpenGpus gpus;
  private final Entry entry;
  private final SlackTree tree;
  private final int coarse;

  /**
   * @param needs all that will be placed
   */
  FirstFit(OpenGpus gpus, List<List<Need>> needs, Entry entry) {
    this.gpus = gpus;
    this.entry = entry;
    tree = new SlackTree(needs.stream().mapToInt(List::size).sum());
    int bits = Integer.SIZE - Integer.numberOfLeadingZeros(gpus.unit().perGpu());
    coarse = Math.max(0, bits - TREE_BITS);
  }

  @Override
  public boolean place(Need need) {
    int least = need.lowerUnits() >> coarse;
    for (int i = tree.next(0, 0, least); i >= 0; i = tree.next(i + 1, 0, least)) {
      if (gpus.mayTake(i, need) && entry.join(i, need)) {
        changed(i);
        return true;
      }
    }
    if (!gpus.open(need, need.lowerUnits())) {
      return false;
    }
    changed(gpus.size() - 1);
    return true;
  }

  @Override
  public void changed(int gpu) {
    if (gpu < gpus.size()) {
      tree.set(gpu, 0, gpus.left(gpu) >> coarse);
    } else {
      tree.close(gpu);
    }
  }
}
