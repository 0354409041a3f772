package dev.cotenant.service.rest.chargeback;

import dev.cotenant.service.chargeback.Chargeback;
import dev.cotenant.service.rest.Call;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.SecurityContext;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** The metrics that name pods, for a scrape with a token: /q/metrics needs none and names none. */
@Tag(name = "Cluster", description = "GPUs, their tenants and forecasts of their memory")
@Path("/v1/chargeback")
@Produces(MediaType.TEXT_PLAIN)
public class ChargebackResource {
  private final Chargeback chargeback;

  ChargebackResource(Chargeback chargeback) {
    this.chargeback = chargeback;
  }

  /** In the text format of Prometheus. */
  @GET
  @Operation(
      summary = "Scrape each pod's part of each GPU",
      description =
          "In the text format of Prometheus. The parts of a GPU sum to one; those of a pod end"
              + " with it. Only the leader has values.")
  public String metrics(@Context SecurityContext context) {
    return chargeback.text(Call.of(context).visibility().namespace());
  }
}
