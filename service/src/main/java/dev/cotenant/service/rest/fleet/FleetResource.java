package dev.cotenant.service.rest.fleet;

import dev.cotenant.engine.fleet.FleetStore.Stored;
import dev.cotenant.engine.fleet.Fleets;
import dev.cotenant.engine.plan.FleetDocument;
import dev.cotenant.service.rest.Call;
import dev.cotenant.service.rest.JsonBody;
import dev.cotenant.service.rest.Required;
import dev.cotenant.service.rest.query.PageParameters;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.SecurityContext;
import java.io.InputStream;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.ExampleObject;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** Fleets that are watched in shadow. */
@Tag(name = "Plans", description = "GPU, share and batch of each workload of a fleet")
@Path("/v1/fleets")
@Produces(MediaType.APPLICATION_JSON)
public class FleetResource {
  private static final int MAX_BYTES = 1 << 20;

  private final Fleets fleets;

  FleetResource(Fleets fleets) {
    this.fleets = fleets;
  }

  /** Stores a fleet. */
  @POST
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(
      summary = "Watch a fleet",
      description =
          "Stores a plan document whose workloads name their metrics; replaces the fleet of this"
              + " name. Every 20 seconds the service reads rates and latencies and computes the"
              + " target of the fleet. Nothing is applied. PromQL of the document runs with the"
              + " service's access to the metrics server.")
  @RequestBody(
      required = true,
      content =
          @Content(
              schema = @Schema(implementation = FleetDocument.class),
              examples = @ExampleObject(name = "watched fleet", ref = "watched-fleet")))
  public FleetsView.FleetEntry add(
      @Context SecurityContext context,
      @Parameter(description = "Name of the fleet", example = "chat", required = true)
          @QueryParam("name")
          @Nullable String name,
      InputStream body) {
    Stored stored =
        fleets.add(
            Required.of(name, "name"),
            JsonBody.bytes(body, MAX_BYTES),
            Call.of(context).caller().recorded());
    return FleetsView.FleetEntry.of(stored, fleets);
  }

  /** All fleets. */
  @GET
  @Operation(summary = "List watched fleets")
  public FleetsView list(@BeanParam PageParameters page) {
    var shown = page.of(fleets.all(), Stored::name);
    return new FleetsView(
        shown.map(stored -> FleetsView.FleetSummary.of(stored, fleets.view(stored))).entries(),
        shown.next());
  }

  /** One fleet with its last decision. */
  @GET
  @Path("/{name}")
  @Operation(
      summary = "Show the target of a watched fleet",
      description =
          "The target, the changes of the last decision with their reasons, the steps in order,"
              + " workloads whose rate was not used or that are not served in full, and the drift"
              + " of measured from predicted latencies.")
  public FleetsView.FleetEntry show(@Parameter(example = "chat") @PathParam("name") String name) {
    Stored stored = fleets.find(name);
    return FleetsView.FleetEntry.of(stored, fleets);
  }

  /** Watches a fleet no longer. */
  @DELETE
  @Path("/{name}")
  @Operation(summary = "Stop watching a fleet and delete it")
  public FleetsView.DeletedFleetView delete(
      @Parameter(example = "chat") @PathParam("name") String name) {
    fleets.delete(name);
    return new FleetsView.DeletedFleetView(1);
  }
}
