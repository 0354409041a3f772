package dev.cotenant.service.rest.fleet;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.engine.plan.FleetDocument;
import dev.cotenant.engine.plan.FleetPlanRequest;
import dev.cotenant.engine.plan.FleetPlanner;
import dev.cotenant.engine.plan.ModelSource;
import dev.cotenant.engine.plan.PlanView;
import dev.cotenant.engine.serving.ServiceProfiles;
import dev.cotenant.service.access.Namespaces;
import dev.cotenant.service.rest.JsonBody;
import dev.cotenant.service.rest.query.QueryNumbers;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import java.io.InputStream;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.ExampleObject;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** Plans of whole fleets. */
@Tag(name = "Plans", description = "GPU, share and batch of each workload of a fleet")
@Path("/v1/plans")
@Produces(MediaType.APPLICATION_JSON)
public class PlanResource {
  /** Some thirty thousand workloads. */
  private static final int MAX_BYTES = 4 << 20;

  private static final String BODY = "the body";

  private final FleetPlanner planning;
  private final ModelSource models;
  private final ServiceProfiles profiles;

  /** A plan keeps a processor busy for seconds: admission must not starve. */
  private final Semaphore one = new Semaphore(1);

  PlanResource(FleetPlanner planning, ModelSource models, ServiceProfiles profiles) {
    this.planning = planning;
    this.models = models;
    this.profiles = profiles;
  }

  /** One plan of each requested strategy. */
  public record PlansView(@JsonProperty("plans") List<PlanView> plans) {
    public PlansView {
      plans = List.copyOf(plans);
    }
  }

  /** Plans a fleet. */
  @POST
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(
      summary = "Plan a fleet",
      description =
          "GPU, share and batch of every workload, and the cost. Models are registered models;"
              + " profiles are built in or stored. Workloads without a place or with an unknown"
              + " model are in 'unplaced', with reasons. One plan runs at a time.")
  @RequestBody(
      required = true,
      content =
          @Content(
              schema = @Schema(implementation = FleetDocument.class),
              examples = @ExampleObject(name = "fleet", ref = "fleet")))
  public PlansView plan(
      @Parameter(
              description = "Strategy, or 'all'; default 'best', with gpus 'most-throughput'",
              example = "igniter")
          @QueryParam("strategy")
          @Nullable String strategy,
      @Parameter(
              description =
                  "Number of GPUs of the plan's one device, whose throughput is maximised",
              example = "4")
          @QueryParam("gpus")
          @Nullable String gpus,
      @Parameter(
              description =
                  "Stored service profiles of this namespace count as well as those of the whole"
                      + " cluster")
          @QueryParam("namespace")
          @Nullable String namespace,
      InputStream body) {
    String wanted = strategy == null ? planning.strategies().defaultName(gpus != null) : strategy;
    planning.strategies().check(wanted);
    FleetDocument document = FleetDocument.of(JsonBody.bytes(body, MAX_BYTES), BODY);
    String whose =
        namespace == null ? ServiceProfiles.EVERY_NAMESPACE : Namespaces.require(namespace);
    FleetPlanRequest request =
        planning.with(profiles.book(whose)).understand(document, models, BODY);
    if (gpus != null) {
      request = request.on(QueryNumbers.positiveOr(1, "gpus", gpus));
    }
    one.acquireUninterruptibly();
    try {
      return new PlansView(planning.plan(request, wanted));
    } finally {
      one.release();
    }
  }
}
