package dev.cotenant.placement.glet;

import dev.cotenant.domain.quantity.Milliseconds;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Nexus' algorithm on GPUs of one kind. */
public final class DutyCycles implements GpuletScheduler {
  /*
   * ScheduleSaturate: B = the largest batch with 2·L(B) ≤ SLO, its rate T; ⌊rate/T⌋ whole GPUs.
   * ScheduleResidue: what is left, r, gets the largest batch with L(b) + b/r ≤ SLO, its duty cycle
   * d = b/r, its occupancy busy(b)/d. Where no batch fills in time or keeps up then, the one of least
   * occupancy in the cycle SLO − L(b) that its objective leaves. By occupancy, the largest first, each goes to the GPU that is
   * fullest afterwards: the merged cycle is the shorter one, batches become ⌈d·r⌉, and it holds when
   * Σ busy ≤ d and d + L ≤ SLO for each [Nexus, algorithm 1]. O(residues × GPUs).
   */
  private static final double ROUNDING = 1e-10;

  /** One GPU that repeats a cycle. */
  private record Node(double cycleMillis, GpuLayout layout, double occupancy) {}

  /** All GPUs, or the first tenant without a GPU. */
  private record Attempt(List<GpuLayout> layouts, @Nullable Tenant refused) {}

  @Override
  public PoolPlan plan(GpuPool pool, List<Tenant> tenants) {
    List<Tenant> in = new ArrayList<>(tenants);
    List<Tenant> out = new ArrayList<>();
    Attempt attempt = attempt(pool, in);
    for (Tenant refused = attempt.refused(); refused != null; refused = attempt.refused()) {
      in.remove(refused);
      out.add(refused);
      attempt = attempt(pool, in);
    }
    for (Tenant tenant : List.copyOf(out)) {
      in.add(tenant);
      Attempt again = attempt(pool, in);
      if (again.refused() == null) {
        attempt = again;
        out.remove(tenant);
      } else {
        in.remove(tenant);
      }
    }
    return new PoolPlan(attempt.layouts(), out);
  }

  private static Attempt attempt(GpuPool pool, List<Tenant> tenants) {
    List<GpuLayout> layouts = new ArrayList<>();
    List<Node> residues = new ArrayList<>();
    List<Tenant> sorted =
        tenants.stream()
            .sorted(
                Comparator.comparingDouble(Tenant::requestsPerSecond)
                    .reversed()
                    .thenComparing(Tenant::name))
            .toList();
    for (Tenant tenant : sorted) {
      double rate = saturate(pool, tenant, layouts);
      if (rate > tenant.requestsPerSecond() * ROUNDING) {
        residues.add(residue(tenant, rate));
      }
      if (layouts.size() > pool.count()) {
        return new Attempt(List.of(), tenant);
      }
    }
    residues.sort(Comparator.comparingDouble(Node::occupancy).reversed());
    return merged(pool, residues, layouts);
  }

  /** Fills whole GPUs, at most one more than the pool has; returns the remaining rate. */
  private static double saturate(GpuPool pool, Tenant tenant, List<GpuLayout> layouts) {
    double most = tenant.mostPerSecond(Size.WHOLE);
    double rate = tenant.requestsPerSecond();
    int batch = fastest(tenant);
    while (rate >= most && layouts.size() <= pool.count()) {
      layouts.add(GpuLayout.WHOLE.with(0, new Assignment(tenant, batch, most)));
      rate -= most;
    }
    return rate;
  }

  private static int fastest(Tenant tenant) {
    int batch = tenant.largestBatch(Size.WHOLE);
    double most = tenant.mostPerSecond(Size.WHOLE) * (1 - ROUNDING);
    while (Milliseconds.PER_SECOND * batch / tenant.busyMillis(batch, Size.WHOLE) < most) {
      batch--;
    }
    return batch;
  }

  private static Node residue(Tenant tenant, double rate) {
    Node best = null;
    for (int batch = tenant.largestBatch(Size.WHOLE); batch > 0; batch--) {
      double fill = Milliseconds.PER_SECOND * batch / rate;
      double left = tenant.sloMillis() - tenant.latencyMillis(batch, Size.WHOLE);
      double cycle = Math.min(fill, left);
      double occupancy = tenant.busyMillis(batch, Size.WHOLE) / cycle;
      Node node =
          new Node(cycle, GpuLayout.WHOLE.with(0, new Assignment(tenant, batch, rate)), occupancy);
      if (fill <= left && occupancy <= 1) {
        return node;
      }
      best = best == null || occupancy < best.occupancy() ? node : best;
    }
    if (best == null) {
      throw new IllegalStateException(tenant.name() + " fits on no GPU");
    }
    return best;
  }

  private static Attempt merged(GpuPool pool, List<Node> residues, List<GpuLayout> full) {
    List<Node> nodes = new ArrayList<>();
    for (Node residue : residues) {
      int fullest = -1;
      Node best = null;
      for (int i = 0; i < nodes.size(); i++) {
        Node both = both(pool, nodes.get(i), residue);
        if (both != null && (best == null || both.occupancy() > best.occupancy())) {
          best = both;
          fullest = i;
        }
      }
      if (best != null) {
        nodes.set(fullest, best);
      } else if (full.size() + nodes.size() < pool.count()) {
        nodes.add(residue);
      } else {
        return new Attempt(List.of(), assignments(residue).getFirst().tenant());
      }
    }
    List<GpuLayout> all = new ArrayList<>(full);
    nodes.forEach(node -> all.add(node.layout()));
    return new Attempt(all, null);
  }

  private static List<Assignment> assignments(Node node) {
    return node.layout().gpulets().getFirst().assignments();
  }

  /** Both in the shorter cycle; null where that does not hold. */
  private static @Nullable Node both(GpuPool pool, Node first, Node second) {
    double cycle = Math.min(first.cycleMillis(), second.cycleMillis());
    List<Assignment> assignments = new ArrayList<>(assignments(first));
    assignments.addAll(assignments(second));
    GpuLayout layout = GpuLayout.WHOLE;
    double busy = 0;
    for (Assignment assignment : assignments) {
      Tenant tenant = assignment.tenant();
      int batch =
          (int)
              Math.ceil(cycle * assignment.perSecond() / Milliseconds.PER_SECOND * (1 - ROUNDING));
      batch = Math.max(1, batch);
      if (cycle + tenant.latencyMillis(batch, Size.WHOLE) > tenant.sloMillis() * (1 + ROUNDING)) {
        return null;
      }
      busy += tenant.busyMillis(batch, Size.WHOLE);
      layout = layout.with(0, new Assignment(tenant, batch, assignment.perSecond()));
    }
    return busy <= cycle && pool.holds(layout) ? new Node(cycle, layout, busy / cycle) : null;
  }
}
