package dev.cotenant.placement.glet;

import dev.cotenant.domain.quantity.Milliseconds;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Finds the batches with which a GPU's turns keep up with their rates within their objectives. */
public final class Schedule {
  /*
   * A gpu-let repeats a cycle D with one batch of each of its turns: D = Σ f·busy(b), where f is the
   * largest factor of any turn beside it. Turn i keeps up when b_i ≥ rate_i·D, and a request that has
   * just missed its batch waits one cycle: D + f·L(b_i) ≤ SLO_i; alone, 2·f·L(b) ≤ SLO [Nexus,
   * section 4.1]. Starting from batches of one, every batch is raised to ⌈rate·D⌉ until none
   * changes: times and factors grow with the batch, so that this ends at the least batches that keep
   * up, which are also those of the least latency, or beyond an objective, and then none would do.
   * Where a profile or a measurement falls with the batch it may miss a solution, but what it returns
   * has been checked. At most 32 rounds a turn.
   */
  private static final double ROUNDING = 1e-10;

  private final Interference interference;

  /**
   * @param interference between neighbours
   */
  public Schedule(Interference interference) {
    this.interference = interference;
  }

  /** The card with its batches chosen again; empty where no batches will do. */
  public Optional<GpuLayout> of(GpuLayout wanted) {
    GpuLayout layout = withLeastBatches(wanted);
    while (true) {
      GpuLayout next = raised(layout);
      if (next == null) {
        return Optional.empty();
      }
      if (next.equals(layout)) {
        return Optional.of(layout);
      }
      layout = next;
    }
  }

  /** Whether all objectives and rates hold with the batches as they are. */
  boolean holds(GpuLayout layout) {
    GpuLayout needed = raised(layout);
    return needed != null && needed.equals(layout);
  }

  /**
   * The same with the largest batch that holds in each gpu-let of one turn, the first gpu-let first
   * [gpu-lets, algorithm 1, line 27].
   */
  GpuLayout fullest(GpuLayout layout) {
    GpuLayout full = layout;
    for (int i = 0; i < layout.gpulets().size(); i++) {
      if (full.gpulets().get(i).assignments().size() == 1) {
        full = fullest(full, i);
      }
    }
    return full;
  }

  private GpuLayout fullest(GpuLayout layout, int index) {
    Gpulet gpulet = layout.gpulets().get(index);
    Assignment assignment = gpulet.assignments().getFirst();
    for (int batch = assignment.tenant().largestBatch(gpulet.size());
        batch > assignment.batch();
        batch--) {
      Assignment larger = new Assignment(assignment.tenant(), batch, assignment.perSecond());
      GpuLayout candidate = layout.with(index, new Gpulet(gpulet.size(), List.of(larger)));
      if (holds(candidate)) {
        return candidate;
      }
    }
    return layout;
  }

  private static GpuLayout withLeastBatches(GpuLayout layout) {
    List<Gpulet> gpulets = new ArrayList<>();
    for (Gpulet gpulet : layout.gpulets()) {
      List<Assignment> assignments = new ArrayList<>();
      for (Assignment assignment : gpulet.assignments()) {
        assignments.add(new Assignment(assignment.tenant(), 1, assignment.perSecond()));
      }
      gpulets.add(new Gpulet(gpulet.size(), assignments));
    }
    return new GpuLayout(gpulets);
  }

  /** One round; null where an objective is missed or a batch grows too large. */
  private @Nullable GpuLayout raised(GpuLayout layout) {
    GpuLayout next = layout;
    for (int i = 0; i < layout.gpulets().size(); i++) {
      Gpulet gpulet = raised(layout.gpulets().get(i), layout.beside(i));
      if (gpulet == null) {
        return null;
      }
      next = next.with(i, gpulet);
    }
    return next;
  }

  private @Nullable Gpulet raised(Gpulet gpulet, @Nullable Gpulet beside) {
    double cycle = cycleMillis(gpulet, beside);
    double kept = beside == null ? 1 : interference.keptPart();
    List<Assignment> assignments = new ArrayList<>();
    for (Assignment assignment : gpulet.assignments()) {
      double latency =
          factor(assignment, gpulet, beside)
              * assignment.tenant().latencyMillis(assignment.batch(), gpulet.size());
      double wait = gpulet.assignments().size() == 1 ? latency : cycle;
      double due = kept * assignment.perSecond() * cycle / Milliseconds.PER_SECOND * (1 - ROUNDING);
      boolean late = !(wait + latency <= assignment.tenant().sloMillis() * (1 + ROUNDING));
      if (late || due > Tenant.MAX_BATCH) {
        return null;
      }
      int batch = Math.max(assignment.batch(), (int) Math.ceil(due));
      assignments.add(new Assignment(assignment.tenant(), batch, assignment.perSecond()));
    }
    return new Gpulet(gpulet.size(), assignments);
  }

  /** How long one batch of each turn takes. */
  double cycleMillis(Gpulet gpulet, @Nullable Gpulet beside) {
    double cycle = 0;
    for (Assignment assignment : gpulet.assignments()) {
      cycle +=
          factor(assignment, gpulet, beside)
              * assignment.tenant().busyMillis(assignment.batch(), gpulet.size());
    }
    return cycle;
  }

  private double factor(Assignment assignment, Gpulet gpulet, @Nullable Gpulet beside) {
    double worst = 1;
    if (beside != null) {
      for (Assignment other : beside.assignments()) {
        worst =
            Math.max(worst, interference.factor(assignment, gpulet.size(), other, beside.size()));
      }
    }
    return worst;
  }
}
