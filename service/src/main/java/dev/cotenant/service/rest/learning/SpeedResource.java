package dev.cotenant.service.rest.learning;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.domain.InputException;
import dev.cotenant.service.cluster.SpeedReports;
import dev.cotenant.service.cluster.SpeedReports.Reported;
import dev.cotenant.service.cluster.SpeedReports.Result;
import dev.cotenant.service.rest.Call;
import dev.cotenant.service.rest.JsonBody;
import dev.cotenant.service.rest.Required;
import dev.cotenant.service.rest.learning.ProfileViews.RejectedView;
import dev.cotenant.service.rest.learning.SpeedsDocument.SpeedDocument;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.SecurityContext;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.ExampleObject;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** The measured speeds of pods, from which risks of slowdown are learned. */
@Tag(name = "Learning", description = "Measured runs, trainings, and versions of predictors")
@Path("/v1/speeds")
@Produces(MediaType.APPLICATION_JSON)
public class SpeedResource {
  private static final int MAX_SPEEDS = 1_000;

  private final SpeedReports reports;

  SpeedResource(SpeedReports reports) {
    this.reports = reports;
  }

  /**
   * Outcome of added speeds.
   *
   * @param alone of pods that are alone on their GPU
   * @param shared of pods with neighbours
   * @param rejected with their place from 1
   */
  record SpeedsView(
      @JsonProperty("received") int received,
      @JsonProperty("alone") int alone,
      @JsonProperty("shared") int shared,
      @JsonProperty("rejected") List<RejectedView> rejected) {
    SpeedsView {
      rejected = List.copyOf(rejected);
    }

    static SpeedsView of(List<Result> results) {
      List<RejectedView> rejected = new ArrayList<>();
      for (int i = 0; i < results.size(); i++) {
        if (!results.get(i).isTaken()) {
          rejected.add(new RejectedView(i + 1L, results.get(i).reason()));
        }
      }
      int alone = (int) results.stream().filter(result -> result.neighbours() == 0).count();
      return new SpeedsView(
          results.size(), alone, results.size() - alone - rejected.size(), rejected);
    }
  }

  /** Takes speeds in. */
  @POST
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(
      summary = "Add measured speeds of pods",
      description =
          "Steps or samples per second over the last minutes, of pods of one namespace, with the"
              + " neighbours of the ledger. Colocated speeds count once two solo speeds of the"
              + " configuration are known; they change the risks of this namespace only. Rejected"
              + " if a pod joined, started on or left the GPU in the last 5 minutes.")
  @RequestBody(
      required = true,
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = SpeedsDocument.class),
              examples = @ExampleObject(name = "speeds", ref = "speeds-request")))
  public SpeedsView add(@Context SecurityContext context, InputStream body) {
    SpeedsDocument document = JsonBody.read(body, SpeedsDocument.class);
    String namespace = Required.of(document.namespace(), "namespace");
    Call.of(context).requireIn(namespace);
    List<@Nullable SpeedDocument> speeds = Required.of(document.speeds(), "speeds");
    if (speeds.size() > MAX_SPEEDS) {
      throw InputException.tooLarge(
          "too-many-speeds", "At most " + MAX_SPEEDS + " speeds may come at once: send several.");
    }
    List<Reported> reported = new ArrayList<>();
    Set<String> pods = new HashSet<>();
    for (SpeedDocument speed : speeds) {
      SpeedDocument stated = Required.of(speed, "speeds[]");
      String pod = Required.of(stated.pod(), "speeds[].pod");
      if (!pods.add(pod)) {
        throw InputException.malformed(
            "duplicate-pod", "'" + pod + "' has several speeds: state one for each pod.");
      }
      reported.add(new Reported(pod, Required.of(stated.speed(), "speeds[].speed")));
    }
    return SpeedsView.of(reports.add(namespace, reported));
  }
}
