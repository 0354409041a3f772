package dev.cotenant.engine.fleet;

import dev.cotenant.domain.InputException;
import dev.cotenant.engine.fleet.WorkloadQueries.Where;
import dev.cotenant.engine.plan.FleetDocument;
import dev.cotenant.engine.plan.FleetDocument.WorkloadEntry;
import dev.cotenant.engine.plan.FleetPlanRequest;
import dev.cotenant.engine.plan.FleetPlanner;
import dev.cotenant.engine.plan.ModelSource;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.inss.InssPlanner;
import dev.cotenant.placement.search.Best;
import dev.cotenant.serving.ControllerState;
import dev.cotenant.serving.deployment.FleetTarget;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A fleet whose document says where its workloads are measured.
 *
 * @param fleet its services and devices, with the stated rates
 * @param queries one for each service
 * @param notes what its figures rest on
 */
public record WatchedFleet(Fleet fleet, List<WorkloadQueries> queries, List<String> notes) {
  /** Over which rates are counted. */
  static final Duration WINDOW = Duration.ofMinutes(1);

  public WatchedFleet {
    queries = List.copyOf(queries);
    notes = List.copyOf(notes);
  }

  /**
   * Understands a document as {@link FleetPlanner#understand} does, with {@code metrics} of each
   * workload.
   *
   * @throws InputException ({@code bad-plan}), also where one workload cannot be understood
   */
  public static WatchedFleet of(
      FleetPlanner planner, FleetDocument document, ModelSource models, String name) {
    if (!FleetDocument.present(document.jobs()).isEmpty()) {
      throw FleetDocument.bad(name, "jobs", "training has no rate to watch: leave jobs out");
    }
    FleetPlanRequest request = planner.understand(document, models, name);
    if (!request.refused().isEmpty()) {
      throw FleetDocument.bad(name, "workloads", request.refused().getFirst().problem());
    }
    List<WorkloadQueries> queries = new ArrayList<>();
    List<@Nullable WorkloadEntry> entries = FleetDocument.present(document.workloads());
    for (int i = 0; i < entries.size(); i++) {
      WorkloadEntry entry = entries.get(i);
      String workload = entry == null ? null : entry.name();
      if (entry != null && workload != null) {
        Where where = new Where(name, "workloads[" + i + "].metrics");
        queries.add(WorkloadQueries.of(workload, entry.metrics(), where, WINDOW));
      }
    }
    return new WatchedFleet(request.fleet(), queries, request.notes());
  }

  /**
   * What runs before the first decision: the placement of the document with batches by BDA, else a
   * plan by {@code best} for the stated rates.
   */
  ControllerState start() {
    FleetPlan plan =
        fleet.placement().isEmpty() ? new Best().plan(fleet) : new InssPlanner().plan(fleet);
    return ControllerState.running(FleetTarget.NONE.revised(plan.gpus()));
  }
}
