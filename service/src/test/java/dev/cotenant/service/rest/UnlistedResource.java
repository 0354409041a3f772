package dev.cotenant.service.rest;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import org.eclipse.microprofile.openapi.annotations.Operation;

/** An endpoint that somebody forgot to enter in the table of rights. */
@Path("/v1/unlisted")
public class UnlistedResource {
  /** Gives away everything. */
  @GET
  @Operation(hidden = true)
  public String everything() {
    return "everything";
  }
}
