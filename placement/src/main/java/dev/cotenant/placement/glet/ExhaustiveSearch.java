package dev.cotenant.placement.glet;

import dev.cotenant.domain.InputException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** The best plan of few services on few GPUs of one kind. */
public final class ExhaustiveSearch implements GpuletScheduler {
  /*
   * For 1, 2, … GPUs: every multiset of splits (whole, 20/80, 40/60, 50/50), 35 of four GPUs, and in
   * each every assignment (Assignment), the splits with most room first. Where not all services fit on all GPUs, all sets of one
   * service less, and so on.
   */
  static final int MAX_SERVICES = 6;
  static final int MAX_GPUS = 4;

  private static final List<Size> FIRST_OF_SPLIT =
      List.of(Size.WHOLE, Size.PERCENT_50, Size.PERCENT_40, Size.PERCENT_20);

  private final Schedule schedule;
  private final List<GpuletScheduler> others;

  /**
   * @param interference between neighbours
   */
  public ExhaustiveSearch(Interference interference) {
    schedule = new Schedule(interference);
    others =
        List.of(
            ElasticPartitioning.gpulets(interference),
            ElasticPartitioning.gpulets(Interference.NONE),
            ElasticPartitioning.selfTuning(),
            new DutyCycles());
  }

  @Override
  public PoolPlan plan(GpuPool pool, List<Tenant> tenants) {
    if (tenants.size() > MAX_SERVICES) {
      throw tooLarge("there are " + tenants.size());
    }
    for (int size = tenants.size(); size > 0; size--) {
      for (List<Tenant> some : subsets(tenants, size)) {
        Optional<List<GpuLayout>> found = layouts(pool, some);
        if (found.isPresent()) {
          List<GpuLayout> full = found.get().stream().map(schedule::fullest).toList();
          return new PoolPlan(full, tenants.stream().filter(t -> !some.contains(t)).toList());
        }
      }
    }
    return new PoolPlan(List.of(), tenants);
  }

  /** A placement of all services on the fewest GPUs; empty if they do not fit. */
  Optional<List<GpuLayout>> layouts(GpuPool pool, List<Tenant> tenants) {
    Optional<List<GpuLayout>> known = known(pool, tenants);
    int most = Math.min(pool.count(), MAX_GPUS);
    int bound = known.map(layouts -> layouts.size() - 1).orElse(most);
    for (int gpus = 1; gpus <= Math.min(bound, most); gpus++) {
      Optional<List<GpuLayout>> found = on(gpus, pool, tenants);
      if (found.isPresent()) {
        return found;
      }
    }
    if (bound > most || (known.isEmpty() && pool.count() > MAX_GPUS)) {
      throw tooLarge("these need more GPUs");
    }
    return known;
  }

  /** All of them on these GPUs, at most four, whether or not on the fewest. */
  public Optional<List<GpuLayout>> fitting(GpuPool pool, List<Tenant> tenants) {
    return known(pool, tenants).or(() -> on(pool.count(), pool, tenants));
  }

  private static InputException tooLarge(String why) {
    return InputException.tooLarge(
        "ideal-too-large",
        "The strategy 'ideal' tries every plan of at most "
            + MAX_SERVICES
            + " workloads on "
            + MAX_GPUS
            + " GPUs, "
            + why
            + ": plan fewer, or take 'gpulets'.");
  }

  /** The smallest complete plan of the other strategies that holds with interference. */
  private Optional<List<GpuLayout>> known(GpuPool pool, List<Tenant> tenants) {
    return others.stream()
        .map(other -> other.plan(pool, tenants))
        .filter(poolPlan -> poolPlan.left().isEmpty())
        .map(PoolPlan::layouts)
        .flatMap(layouts -> judged(layouts).stream())
        .min(Comparator.comparingInt(List::size));
  }

  private Optional<List<GpuLayout>> judged(List<GpuLayout> layouts) {
    List<GpuLayout> good = new ArrayList<>();
    for (GpuLayout layout : layouts) {
      schedule.of(layout).ifPresent(good::add);
    }
    return good.size() == layouts.size() ? Optional.of(good) : Optional.empty();
  }

  private Optional<List<GpuLayout>> on(int gpus, GpuPool pool, List<Tenant> tenants) {
    List<List<GpuLayout>> splits = new ArrayList<>();
    addSplits(gpus, 0, List.of(), splits);
    AssignmentSearch search = new AssignmentSearch(pool, schedule, tenants);
    splits.sort(Comparator.comparingDouble(search::slack).reversed());
    for (List<GpuLayout> split : splits) {
      Optional<List<GpuLayout>> found = search.of(split);
      if (found.isPresent()) {
        return found;
      }
    }
    return Optional.empty();
  }

  private static void addSplits(
      int more, int from, List<GpuLayout> before, List<List<GpuLayout>> splits) {
    if (more == 0) {
      splits.add(before);
      return;
    }
    for (int i = from; i < FIRST_OF_SPLIT.size(); i++) {
      List<GpuLayout> with = new ArrayList<>(before);
      with.add(GpuLayout.split(FIRST_OF_SPLIT.get(i)));
      addSplits(more - 1, i, with, splits);
    }
  }

  /** All subsets of a size, those without the last tenants first. */
  private static List<List<Tenant>> subsets(List<Tenant> tenants, int size) {
    List<List<Tenant>> all = new ArrayList<>();
    for (int bits = 0; bits < 1 << tenants.size(); bits++) {
      if (Integer.bitCount(bits) == size) {
        List<Tenant> some = new ArrayList<>();
        for (int i = 0; i < tenants.size(); i++) {
          if ((bits >> i & 1) == 1) {
            some.add(tenants.get(i));
          }
        }
        all.add(some);
      }
    }
    return all;
  }
}
