package dev.cotenant.placement.glet;

import dev.cotenant.placement.glet.UndoableLayouts.GpuletIndex;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** gpu-lets' algorithm 1 on GPUs of one kind. */
public final class ElasticPartitioning implements GpuletScheduler {
  /*
   * As printed: services by rate, the largest first; p_eff the knee; p_req the least gpu-let that
   * serves what is left of the rate; the first free gpu-let of at least min(p_eff, p_req), ascending
   * by size, a whole GPU being split; a merge into the first gpu-let that is temporally sharable,
   * whereupon the split is reverted (here: a split is only proposed, and made when nothing was
   * merged); and so on until the rate is served.
   *
   * What is not printed. How much a gpu-let is given: all that is left of the rate where that holds,
   * else what its largest batch serves beside the worst neighbour that the fleet could put there, so
   * that the other half stays usable. Where no free gpu-let is large enough, the largest that is left,
   * then as much as can be merged anywhere: so do readjust and allocateTimeShare of the authors' code
   * (casys-kaist/glet). Where a service cannot be served in parts of its knee, it is tried again in
   * parts of p_req. A service that cannot be served in full is taken out again.
   *
   * O(services × gpu-lets) best fits and merges.
   */
  private static final double SERVED = 1e-9;

  /** No part of a service is smaller: it would only hold memory. */
  private static final double MIN_PART = 0.05;

  private static final int BISECTIONS = 12;

  /** How a gpu-let's size is chosen. */
  enum Sizing {
    /** min(p_eff, p_req). */
    KNEE,
    /** p_req. */
    MIN_SUFFICIENT
  }

  /** Whether services may take turns in a gpu-let. */
  enum Sharing {
    IN_SPACE,
    IN_SPACE_AND_TIME
  }

  /** What is done. */
  record Rules(Sizing sizing, Sharing sharing, Interference interference) {}

  /** A candidate change: the changed GPU and the rate that it serves. */
  private record Proposal(int index, GpuLayout layout, double perSecond) {}

  private final Rules rules;
  private final Schedule schedule;

  ElasticPartitioning(Rules rules) {
    this.rules = rules;
    schedule = new Schedule(rules.interference());
  }

  /** gpu-lets' own: shares at the knee of what services gain, several in turns. */
  public static ElasticPartitioning gpulets(Interference interference) {
    return new ElasticPartitioning(new Rules(Sizing.KNEE, Sharing.IN_SPACE_AND_TIME, interference));
  }

  /** The baseline of least sufficient shares without turns, blind to neighbours. */
  public static ElasticPartitioning selfTuning() {
    return new ElasticPartitioning(
        new Rules(Sizing.MIN_SUFFICIENT, Sharing.IN_SPACE, Interference.NONE));
  }

  @Override
  public PoolPlan plan(GpuPool pool, List<Tenant> tenants) {
    Run run = new Run(pool, tenants);
    List<Tenant> left = new ArrayList<>();
    tenants.stream()
        .sorted(
            Comparator.comparingDouble(Tenant::requestsPerSecond)
                .reversed()
                .thenComparing(Tenant::name))
        .filter(tenant -> !run.serve(tenant))
        .forEach(left::add);
    return new PoolPlan(run.layouts.all().stream().map(schedule::fullest).toList(), left);
  }

  /** One plan in the making. */
  private final class Run {
    private final GpuPool pool;
    private final UndoableLayouts layouts;
    private final WorstCaseThroughput worstCase;

    Run(GpuPool pool, List<Tenant> tenants) {
      this.pool = pool;
      layouts = new UndoableLayouts(pool.count());
      worstCase = new WorstCaseThroughput(rules.interference(), tenants);
    }

    boolean serve(Tenant tenant) {
      return serve(tenant, rules.sizing())
          || (rules.sizing() == Sizing.KNEE && serve(tenant, Sizing.MIN_SUFFICIENT));
    }

    private boolean serve(Tenant tenant, Sizing sizing) {
      int mark = layouts.mark();
      Size knee = sizing == Sizing.KNEE ? Knee.of(tenant) : Size.WHOLE;
      double least = tenant.requestsPerSecond() * SERVED;
      double rate = tenant.requestsPerSecond();
      while (rate > least) {
        Size needed = leastSufficient(tenant, rate);
        Proposal chosen = choose(tenant, rate, needed.compareTo(knee) < 0 ? needed : knee);
        if (chosen == null) {
          layouts.undoTo(mark);
          return false;
        }
        layouts.put(chosen.index(), chosen.layout());
        rate -= chosen.perSecond();
      }
      return true;
    }

    private @Nullable Proposal choose(Tenant tenant, double rate, Size ideal) {
      Proposal fit = bestFit(tenant, rate, ideal);
      if (rules.sharing() == Sharing.IN_SPACE) {
        return fit;
      }
      Proposal merged = merge(tenant, fit == null ? rate : fit.perSecond());
      if (merged != null) {
        return merged;
      }
      return fit == null ? mergePart(tenant, rate) : fit;
    }

    /** FINDBESTFIT up to its merge, then the largest gpu-let that is left. */
    private @Nullable Proposal bestFit(Tenant tenant, double rate, Size ideal) {
      List<GpuletIndex> free = free();
      for (GpuletIndex place : free) {
        Proposal found =
            sizeOf(place).compareTo(ideal) < 0 ? null : fill(place, tenant, rate, ideal);
        if (found != null) {
          return found;
        }
      }
      for (GpuletIndex place : free.reversed()) {
        Proposal found =
            sizeOf(place).compareTo(ideal) < 0 ? fill(place, tenant, rate, ideal) : null;
        if (found != null) {
          return found;
        }
      }
      return null;
    }

    /** Free gpu-lets, ascending by size, then in the order in which GPUs were opened. */
    private List<GpuletIndex> free() {
      List<GpuletIndex> free = new ArrayList<>();
      int seen = layouts.opened() + (layouts.more() ? 1 : 0);
      for (int i = 0; i < seen; i++) {
        List<Gpulet> gpulets = layouts.get(i).gpulets();
        for (int k = 0; k < gpulets.size(); k++) {
          if (gpulets.get(k).isFree()) {
            free.add(new GpuletIndex(i, k));
          }
        }
      }
      free.sort(Comparator.comparing(this::sizeOf));
      return free;
    }

    private Size sizeOf(GpuletIndex place) {
      return layouts.get(place.gpu()).gpulets().get(place.gpulet()).size();
    }

    private @Nullable Proposal fill(GpuletIndex place, Tenant tenant, double rate, Size ideal) {
      GpuLayout layout = layouts.get(place.gpu());
      GpuLayout cut = sizeOf(place) == Size.WHOLE ? GpuLayout.split(ideal) : layout;
      Size size = cut.gpulets().get(place.gpulet()).size();
      Proposal all = assignment(new GpuletIndex(place.gpu(), place.gpulet()), cut, tenant, rate);
      if (all != null) {
        return all;
      }
      double most = Math.min(rate, worstCase.mostPerSecond(tenant, size));
      return most >= rate * MIN_PART && most < rate ? assignment(place, cut, tenant, most) : null;
    }

    private @Nullable Proposal assignment(
        GpuletIndex place, GpuLayout layout, Tenant tenant, double rate) {
      GpuLayout wanted = layout.with(place.gpulet(), new Assignment(tenant, 1, rate));
      if (!pool.holds(wanted)) {
        return null;
      }
      Optional<GpuLayout> planned = schedule.of(wanted);
      return planned.map(found -> new Proposal(place.gpu(), found, rate)).orElse(null);
    }

    /** Into the first gpu-let in use that can take turns with one more. */
    private @Nullable Proposal merge(Tenant tenant, double rate) {
      for (int i = 0; i < layouts.opened(); i++) {
        GpuLayout layout = layouts.get(i);
        for (int k = 0; k < layout.gpulets().size(); k++) {
          Proposal merged =
              sharable(layout.gpulets().get(k), tenant, rate, 1)
                  ? assignment(new GpuletIndex(i, k), layout, tenant, rate)
                  : null;
          if (merged != null) {
            return merged;
          }
        }
      }
      return null;
    }

    /** The most that any gpu-let in use can take of the rate besides its own turns. */
    private @Nullable Proposal mergePart(Tenant tenant, double rate) {
      Proposal best = null;
      for (int i = 0; i < layouts.opened(); i++) {
        GpuLayout layout = layouts.get(i);
        for (int k = 0; k < layout.gpulets().size(); k++) {
          if (sharable(layout.gpulets().get(k), tenant, rate, MIN_PART)) {
            Proposal part = part(new GpuletIndex(i, k), layout, tenant, rate);
            best =
                part != null && (best == null || part.perSecond() > best.perSecond()) ? part : best;
          }
        }
      }
      return best;
    }

    private @Nullable Proposal part(
        GpuletIndex place, GpuLayout layout, Tenant tenant, double rate) {
      double low = Math.max(rate, tenant.requestsPerSecond()) * MIN_PART;
      Proposal best = low < rate ? assignment(place, layout, tenant, low) : null;
      double high = rate;
      for (int i = 0; best != null && i < BISECTIONS; i++) {
        Proposal more = assignment(place, layout, tenant, (low + high) / 2);
        if (more == null) {
          high = (low + high) / 2;
        } else {
          low = (low + high) / 2;
          best = more;
        }
      }
      return best;
    }
  }

  /** In use, without the tenant, and with time left for this part of the rate. */
  private static boolean sharable(Gpulet gpulet, Tenant tenant, double rate, double part) {
    return !gpulet.isFree()
        && !gpulet.assignments(tenant)
        && gpulet.load() + part * rate / tenant.mostPerSecond(gpulet.size()) <= 1;
  }

  /** p_req; a whole GPU where none suffices. */
  private static Size leastSufficient(Tenant tenant, double rate) {
    for (Size size : Size.ASCENDING) {
      if (tenant.mostPerSecond(size) >= rate) {
        return size;
      }
    }
    return Size.WHOLE;
  }
}
