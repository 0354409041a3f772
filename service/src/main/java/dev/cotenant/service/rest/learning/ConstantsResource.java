package dev.cotenant.service.rest.learning;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.domain.InputException;
import dev.cotenant.engine.serving.ServingMemory;
import dev.cotenant.engine.serving.ServingStore;
import dev.cotenant.service.rest.Call;
import dev.cotenant.service.rest.JsonBody;
import dev.cotenant.service.rest.Required;
import dev.cotenant.service.rest.learning.ConstantsViews.ConstantsReleaseView;
import dev.cotenant.service.rest.learning.ConstantsViews.ConstantsVersionView;
import dev.cotenant.service.rest.learning.ConstantsViews.ConstantsView;
import dev.cotenant.service.rest.query.Page;
import dev.cotenant.service.rest.query.PageParameters;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.SecurityContext;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.ExampleObject;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** Constants of servers of language models: what was learned, and the way back. */
@Path("/v1/constants")
@Tag(name = "Learning", description = "Measured runs, trainings, and versions of predictors")
@Produces(MediaType.APPLICATION_JSON)
public class ConstantsResource {
  private static final int MAX_REASON = 200;

  private final ServingMemory memory;
  private final ServingStore store;

  ConstantsResource(ServingMemory memory, ServingStore store) {
    this.memory = memory;
    this.store = store;
  }

  /**
   * The way back.
   *
   * @param engineVersion release of vLLM
   * @param reason recorded
   */
  record RollbackDocument(
      @JsonProperty("namespace") @Nullable String namespace,
      @JsonProperty("engine_version") @Nullable String engineVersion,
      @JsonProperty("reason") @Nullable String reason) {}

  /** All. */
  @GET
  @Operation(
      summary = "List the learned constants of servers, by namespace and release",
      description =
          "Constants become active once they predict starts better than the shipped ones, and are"
              + " replaced if later starts contradict that.")
  public ConstantsView all(
      @Parameter(hidden = true) @QueryParam("namespace") @Nullable String namespace,
      @BeanParam PageParameters parameters) {
    List<ConstantsReleaseView> releases = new ArrayList<>();
    for (String one : namespace == null ? store.states().keySet() : List.of(namespace)) {
      releases.addAll(ConstantsReleaseView.of(one, memory.versions(one)));
    }
    Page<ConstantsReleaseView> page =
        parameters.of(releases, one -> one.namespace() + "/" + one.release());
    return new ConstantsView(page.entries(), page.next());
  }

  /** Goes back. */
  @POST
  @Path("/rollback")
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(
      summary = "Roll back to the previous constants of a release",
      description = "Starts measured before the rollback no longer count.")
  @RequestBody(
      required = true,
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = RollbackDocument.class),
              examples = @ExampleObject(name = "back", ref = "constants-rollback-request")))
  public ConstantsVersionView rollback(@Context SecurityContext context, InputStream body) {
    RollbackDocument document = JsonBody.read(body, RollbackDocument.class);
    String namespace = Required.of(document.namespace(), "namespace");
    Call call = Call.of(context);
    call.requireIn(namespace);
    String reason = Required.of(document.reason(), "reason").strip();
    if (reason.isEmpty()
        || reason.length() > MAX_REASON
        || reason.chars().anyMatch(Character::isISOControl)) {
      throw InputException.invalidArgument(
          "bad-text", "'reason' must be 1 to " + MAX_REASON + " printable characters.");
    }
    return ConstantsVersionView.of(
        memory.rollBack(
            namespace,
            Required.of(document.engineVersion(), "engine_version"),
            call.caller().recorded(),
            reason));
  }
}
