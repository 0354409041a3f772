package dev.cotenant.service.rest.replay;

import dev.cotenant.service.replay.ClusterReplays;
import dev.cotenant.service.rest.Call;
import dev.cotenant.service.rest.JsonBody;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.SecurityContext;
import java.io.InputStream;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.ExampleObject;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** What policies would have made of the cluster's own jobs. */
@Tag(
    name = "Replays",
    description = "Replays of the cluster's recorded history under other" + " policies")
@Path("/v1/what-if")
@Produces(MediaType.APPLICATION_JSON)
public class ReplayResource {
  private static final int ACCEPTED = 202;

  private final ClusterReplays replays;
  private final StoredReplays stored;

  ReplayResource(ClusterReplays replays, StoredReplays stored) {
    this.replays = replays;
    this.stored = stored;
  }

  /** Starts one. */
  @POST
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(
      summary = "Replay the jobs of the cluster under every policy",
      description =
          "Reads the history of the metrics server in the background and changes nothing; GET shows"
              + " progress and result. 409 while one runs.")
  @RequestBody(
      required = true,
      content =
          @Content(
              schema = @Schema(implementation = ReplayDocument.class),
              examples = {
                @ExampleObject(
                    name = "a week",
                    value = "{\"hours\": 168, \"price_per_gpu_hour\": 2.5}"),
                @ExampleObject(
                    name = "other limits",
                    value =
                        "{\"hours\": 168, \"limits\": {\"utilization_percent\": 120,"
                            + " \"tenants\": 2}}")
              }))
  @APIResponse(
      responseCode = "202",
      content = @Content(schema = @Schema(implementation = ReplayView.class)))
  public Response start(@Context SecurityContext context, InputStream body) {
    ReplayDocument document = JsonBody.read(body, ReplayDocument.class);
    String by = Call.of(context).caller().recorded();
    return Response.status(ACCEPTED)
        .header(HttpHeaders.LOCATION, "/v1/what-if")
        .entity(ReplayView.of(replays.start(document.request(by))))
        .build();
  }

  /** Shows the newest. */
  @GET
  @Operation(
      summary = "Show the newest replay",
      description =
          "The newest replay of this process, or a later finished one of another replica.")
  public ReplayView newest() {
    return stored.newest(replays.newest());
  }
}
