package dev.cotenant.service.rest.history;

import dev.cotenant.service.access.Visibility;
import dev.cotenant.service.rest.Call;
import dev.cotenant.service.rest.StreamsBusyException;
import io.smallrye.common.annotation.Blocking;
import io.smallrye.mutiny.Multi;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.SecurityContext;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.RestStreamElementType;

/** What changes in the cluster, as it changes. */
@Tag(name = "Cluster", description = "GPUs, their tenants and forecasts of their memory")
@Path("/v1/events")
public class EventResource {
  private final EventStreams streams;

  EventResource(EventStreams streams) {
    this.streams = streams;
  }

  /** A stream. */
  @GET
  @Produces(MediaType.SERVER_SENT_EVENTS)
  @RestStreamElementType(MediaType.APPLICATION_JSON)
  @Blocking
  @Operation(
      summary = "Stream totals and changed GPUs",
      description =
          "Server-sent events, one every two seconds; the first has every GPU, later ones the"
              + " changed GPUs. A stream ends after four minutes: connect again. At most 64"
              + " streams are open; further ones get 503 (streams-busy).")
  @APIResponse(
      responseCode = "200",
      content =
          @Content(
              mediaType = MediaType.SERVER_SENT_EVENTS,
              schema = @Schema(type = SchemaType.ARRAY, implementation = EventView.class)))
  public Multi<EventView> events(@Context SecurityContext context, @Context HttpHeaders headers) {
    if (streams.isFull()) {
      throw new StreamsBusyException(EventStreams.MAX);
    }
    Visibility visibility = Call.of(context).visibility();
    return headers.getAcceptableMediaTypes().contains(MediaType.SERVER_SENT_EVENTS_TYPE)
        ? streams.open(visibility)
        : streams.once(visibility);
  }
}
