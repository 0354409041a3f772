package dev.cotenant.placement.igniter;

import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.WorkloadProfile;
import dev.cotenant.placement.igniter.NeedClass.Likeness;
import dev.cotenant.placement.igniter.RaiseBound.Surroundings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * All needs with one lower bound, and for each of their classes the GPUs with enough left, ordered
 * by a lower bound of the raise there.
 */
final class Stage {
  /*
   * Places are the GPUs that had room when the stage began, in opening order, then those that it
   * opens. Needs that occur often enough have a class of their own, in which what algorithm 2 found
   * is remembered until the GPU changes; the others share one with those whose L2 and power demands
   * are within a tenth, and the raise of each is computed on demand. A changed GPU is
   * computed again for every class.
   */
  private static final int ENOUGH_ALIKE = 4;
  private static final double LOG_STEP = Math.log(1.1);
  private static final int TREE_BITS = 6;

  /** What makes needs the same for everyone else. */
  private record Kind(int profile, int batch, double budgetMillis, long memoryBytes) {}

  /** Where L2 and power demands are nearly the same. */
  private record Cell(long l2, long power) {}

  private final OpenGpus gpus;
  private final RaiseBound bound;
  private final int lowerUnits;
  private final int[] open;
  private final int openedBefore;
  private final int coarse;
  private final IdentityHashMap<Need, NeedClass> classes = new IdentityHashMap<>();
  private final List<NeedClass> all = new ArrayList<>();
  private final Surroundings[] around;

  /**
   * @param needs all of this lower bound, at least one
   */
  Stage(DeviceProfile device, OpenGpus gpus, List<Need> needs) {
    this.gpus = gpus;
    bound = new RaiseBound(device);
    lowerUnits = needs.getFirst().lowerUnits();
    openedBefore = gpus.size();
    open = gpus.withRoomFor(lowerUnits);
    int bits = Integer.SIZE - Integer.numberOfLeadingZeros(gpus.unit().perGpu());
    coarse = Math.max(0, bits - TREE_BITS);
    around = new Surroundings[open.length + needs.size()];
    classify(needs);
    for (int place = 0; place < open.length; place++) {
      look(place);
    }
  }

  private void classify(List<Need> needs) {
    IdentityHashMap<WorkloadProfile, Integer> profiles = new IdentityHashMap<>();
    Map<Kind, List<Need>> kinds = new LinkedHashMap<>();
    for (Need need : needs) {
      int profile = profiles.computeIfAbsent(need.profile(), added -> profiles.size());
      Kind kind = new Kind(profile, need.batch(), need.budgetMillis(), need.memoryBytes());
      kinds.computeIfAbsent(kind, added -> new ArrayList<>()).add(need);
    }
    Map<Cell, List<Need>> cells = new LinkedHashMap<>();
    int places = open.length + needs.size();
    for (List<Need> alike : kinds.values()) {
      if (alike.size() >= ENOUGH_ALIKE) {
        add(alike, Likeness.SAME, places);
      } else {
        cells.computeIfAbsent(cell(alike.getFirst()), cell -> new ArrayList<>()).addAll(alike);
      }
    }
    cells.values().forEach(near -> add(near, Likeness.NEARLY, places));
  }

  private void add(List<Need> members, Likeness likeness, int places) {
    NeedClass made = new NeedClass(members, likeness, places, bound);
    all.add(made);
    members.forEach(member -> classes.put(member, made));
  }

  private Cell cell(Need need) {
    double active = bound.activeMillis(need, lowerUnits);
    return new Cell(
        step(RaiseBound.l2Percent(need, active)), step(RaiseBound.powerWatts(need, active)));
  }

  private static long step(double demand) {
    return Math.round(Math.log(Math.max(demand, Double.MIN_NORMAL)) / LOG_STEP);
  }

  NeedClass classOf(Need need) {
    return Objects.requireNonNull(classes.get(need));
  }

  /** The GPU at a place. */
  int gpuAt(int place) {
    return place < open.length ? open[place] : openedBefore + place - open.length;
  }

  /** The first place from {@code from} on where the raise is hoped to be in a group. */
  int next(NeedClass of, int from, int group) {
    return of.tree().next(from, group, leastOf(group) >> coarse);
  }

  /** Lower bound of the raise at a place of a group. */
  int hoped(Need need, double watts, int place, int group) {
    return leastOf(group) + bound.raiseOf(need, watts, around[place]);
  }

  /** What a need draws at its lower bound. */
  double powerWatts(Need need) {
    return RaiseBound.powerWatts(need, bound.activeMillis(need, lowerUnits));
  }

  /** The least raise that is in a group. */
  int leastOf(int group) {
    return group << coarse;
  }

  /** A GPU has changed, or is new, or is gone. */
  void changed(int gpu) {
    int place =
        gpu >= openedBefore ? open.length + gpu - openedBefore : Arrays.binarySearch(open, gpu);
    if (place >= 0) {
      look(place);
    }
  }

  /** Records that a class of needs requires at least this raise on a place. */
  void learn(NeedClass of, int place, int raise) {
    put(of, place, raise);
  }

  private void look(int place) {
    int gpu = gpuAt(place);
    boolean there = gpu < gpus.size();
    if (there) {
      bound.on(gpus.get(gpu));
      around[place] = bound.surroundings();
    }
    for (NeedClass one : all) {
      boolean fits = there && gpus.hasMemory(gpu, one.memoryBytes());
      put(one, place, fits ? one.raise(bound) : ShareRaising.NEVER);
    }
  }

  private void put(NeedClass of, int place, int raise) {
    int gpu = gpuAt(place);
    int left = raise == ShareRaising.NEVER ? -1 : gpus.left(gpu) - lowerUnits;
    if (raise <= left) {
      int group = Math.min(raise >> coarse, SlackTree.GROUPS - 1);
      of.tree().set(place, group, left >> coarse);
    } else {
      of.tree().close(place);
    }
  }
}
