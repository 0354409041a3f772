package dev.cotenant.service.rest.learning;

import dev.cotenant.domain.InputException;
import dev.cotenant.engine.lifecycle.ModelStore;
import dev.cotenant.engine.lifecycle.Training;
import dev.cotenant.service.lifecycle.LifeCyclePoller;
import dev.cotenant.service.rest.Examples;
import dev.cotenant.service.rest.ProblemView;
import dev.cotenant.service.rest.learning.TrainingView.TrainingsView;
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
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.ExampleObject;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** Trainings of corrections, one at a time over all replicas. */
@Tag(name = "Learning", description = "Measured runs, trainings, and versions of predictors")
@Path("/v1/trainings")
@Produces(MediaType.APPLICATION_JSON)
public class TrainingResource {
  private static final int DEFAULT_LIMIT = 20;
  private static final int ACCEPTED = 202;

  private final ModelStore store;
  private final LifeCyclePoller poller;

  TrainingResource(ModelStore store, LifeCyclePoller poller) {
    this.store = store;
    this.poller = poller;
  }

  /** Queues a training. */
  @POST
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(
      summary = "Train a correction of the active model on the cluster's own runs",
      description =
          "Returns at once; GET shows the progress. 409 while another training is queued or"
              + " running. The result is a version, which becomes active by promotion. The body"
              + " is ignored and may be empty; the Content-Type is required.")
  @RequestBody(
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(type = SchemaType.OBJECT),
              examples = @ExampleObject(name = "nothing", value = "{}")))
  @APIResponse(
      responseCode = "202",
      content = @Content(schema = @Schema(implementation = TrainingView.class)))
  public Response start() {
    Training training =
        store.trainings().enqueue(UUID.randomUUID().toString(), InstantSource.system().instant());
    poller.nudge();
    return Response.status(ACCEPTED)
        .header(HttpHeaders.LOCATION, "/v1/trainings/" + training.id())
        .entity(TrainingView.of(training))
        .build();
  }

  /** Lists them. */
  @GET
  @Operation(summary = "List trainings, newest first, 20 unless a limit is given")
  public TrainingsView newest(
      @Parameter(description = "queued, running, finished, failed or cancelled; absent: all")
          @QueryParam("state")
          @Nullable String state,
      @BeanParam PageParameters page) {
    List<Training> wanted =
        store.trainings().newest(Integer.MAX_VALUE).stream()
            .filter(training -> PageParameters.passes(state, TrainingView.state(training)))
            .toList();
    return TrainingsView.of(page.of(wanted, Training::id, DEFAULT_LIMIT));
  }

  /** Shows one. */
  @GET
  @Path("/{id}")
  @Operation(summary = "Show the progress of a training")
  @APIResponse(
      responseCode = "200",
      content = @Content(schema = @Schema(implementation = TrainingView.class)))
  @APIResponse(
      responseCode = "404",
      description = "No such training (unknown-training)",
      content =
          @Content(
              mediaType = ProblemView.MEDIA_TYPE,
              schema = @Schema(implementation = ProblemView.class)))
  public TrainingView show(@Parameter(example = Examples.TRAINING) @PathParam("id") String id) {
    return store
        .trainings()
        .find(id)
        .map(TrainingView::of)
        .orElseThrow(() ->
            InputException.notFound(
                "unknown-training",
                "There is no training '" + id + "': GET /v1/trainings lists them."));
  }

  /** Cancels one. */
  @DELETE
  @Path("/{id}")
  @Operation(
      summary = "Cancel a training",
      description = "409 if the training has ended. The active version does not change.")
  public TrainingView cancel(@Parameter(example = Examples.TRAINING) @PathParam("id") String id) {
    return TrainingView.of(store.trainings().cancel(id, InstantSource.system().instant()));
  }
}
