package dev.cotenant.placement.igniter;

import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.placement.igniter.NeedClass.Likeness;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The GPU on which everyone together must be raised least, the first of equals [iGniter, algorithm
 * 1].
 */
final class LeastIncrease implements Placer {
  /*
   * The paper runs algorithm 2 on every GPU for every workload, O(m²). A few runs decide:
   * workloads come in stages of one lower bound each, a GPU without that much left is out for good,
   * and a lower bound on the raise (RaiseBound) gives the order. Groups of GPUs are searched
   * by that bound; in each, from the first opened on, until one reaches the bound; groups whose bound
   * is beyond the least raise found are skipped. The result is that of a search over all GPUs. Up to
   * a few GPUs all are searched.
   */
  private static final int FEW = 24;

  private final DeviceProfile device;
  private final OpenGpus gpus;
  private final ShareRaising raising;
  private final List<List<Need>> upcoming;
  private int passed;
  private @Nullable Stage stage;
  private int stageUnits;
  private int best;
  private int least;
  private long evaluations;

  /**
   * @param needs all that will be placed, in this order, the largest lower bound first
   */
  LeastIncrease(DeviceProfile device, OpenGpus gpus, List<List<Need>> needs) {
    this.device = device;
    this.gpus = gpus;
    upcoming = needs;
    raising = new ShareRaising(device);
  }

  @Override
  public boolean place(Need need) {
    best = Integer.MAX_VALUE;
    least = ShareRaising.NEVER;
    if (gpus.size() <= FEW) {
      for (int i = 0; i < gpus.size() && least > 0; i++) {
        ask(i, need);
      }
    } else {
      search(stageOf(need), need);
    }
    return least < ShareRaising.NEVER ? join(need) : open(need);
  }

  /** Runs of algorithm 2 so far. */
  long evaluations() {
    return evaluations;
  }

  private boolean join(Need need) {
    raising.raise(gpus.get(best), need, ShareRaising.NEVER);
    raising.apply(gpus.change(best));
    changed(best);
    return true;
  }

  private boolean open(Need need) {
    if (!gpus.open(need, need.lowerUnits())) {
      return false;
    }
    changed(gpus.size() - 1);
    return true;
  }

  @Override
  public void changed(int gpu) {
    if (stage != null) {
      stage.changed(gpu);
    }
  }

  private Stage stageOf(Need need) {
    Stage known = stage;
    if (known != null && stageUnits == need.lowerUnits()) {
      return known;
    }
    Stage next = new Stage(device, gpus, membersOf(need.lowerUnits()));
    stageUnits = need.lowerUnits();
    stage = next;
    return next;
  }

  private List<Need> membersOf(int lowerUnits) {
    while (upcoming.get(passed).getFirst().lowerUnits() > lowerUnits) {
      passed++;
    }
    return upcoming.subList(passed, upcoming.size()).stream()
        .takeWhile(parts -> parts.getFirst().lowerUnits() == lowerUnits)
        .flatMap(List::stream)
        .toList();
  }

  private void search(Stage on, Need need) {
    NeedClass of = on.classOf(need);
    double watts = on.powerWatts(need);
    for (int group = 0; group < SlackTree.GROUPS && on.leastOf(group) <= least; group++) {
      int bound = on.leastOf(group);
      int place = on.next(of, 0, group);
      while (place >= 0 && isBetter(bound, on.gpuAt(place))) {
        if (of.likeness() == Likeness.SAME) {
          on.learn(of, place, ask(on.gpuAt(place), need));
        } else {
          int gpu = on.gpuAt(place);
          int hoped = on.hoped(need, watts, place, group);
          if (hoped <= gpus.left(gpu) - need.lowerUnits() && isBetter(hoped, gpu)) {
            ask(gpu, need);
          }
        }
        place = on.next(of, place + 1, group);
      }
    }
  }

  /** Whether a raise on a GPU would beat what was found so far. */
  private boolean isBetter(int raise, int gpu) {
    return raise < least || (raise == least && gpu < best);
  }

  /** What a need's raise on a GPU is at least; exact where it is the least so far. */
  private int ask(int gpu, Need need) {
    if (!gpus.mayTake(gpu, need)) {
      return ShareRaising.NEVER;
    }
    evaluations++;
    int spare = gpus.left(gpu) - need.lowerUnits();
    int limit = gpu < best && least < ShareRaising.NEVER ? least + 1 : least;
    int found = raising.raise(gpus.get(gpu), need, limit);
    if (found < limit) {
      best = gpu;
      least = found;
      return found;
    }
    return limit > spare ? ShareRaising.NEVER : limit;
  }
}
