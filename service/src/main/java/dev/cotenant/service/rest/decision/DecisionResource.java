package dev.cotenant.service.rest.decision;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.service.access.Visibility;
import dev.cotenant.service.decisions.DecisionHistory;
import dev.cotenant.service.decisions.WhatIf;
import dev.cotenant.service.rest.Call;
import dev.cotenant.service.rest.JsonBody;
import dev.cotenant.service.rest.Required;
import dev.cotenant.service.rest.decision.DecisionViews.HistoryView;
import dev.cotenant.service.rest.decision.DecisionViews.WhatIfView;
import dev.cotenant.service.rest.prediction.QueryNumbers;
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
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.ExampleObject;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** Dry runs and the decision history. */
@Tag(name = "Decisions", description = "Whether a workload may share a GPU, on which, and why not")
@Path("/v1/decisions")
@Produces(MediaType.APPLICATION_JSON)
public class DecisionResource {
  private static final int DEFAULT_LIMIT = 50;

  private final WhatIf whatIf;
  private final DecisionHistory history;

  DecisionResource(WhatIf whatIf, DecisionHistory history) {
    this.whatIf = whatIf;
    this.history = history;
  }

  /** A dry run. */
  @POST
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(
      summary = "Decide as a dry run",
      description = "About a pod or a workload, on the cluster with all grants. Records nothing.")
  @RequestBody(
      required = true,
      content =
          @Content(
              schema = @Schema(implementation = WhatIfDocument.class),
              examples = {
                @ExampleObject(name = "pod", ref = "what-if-pod"),
                @ExampleObject(name = "workload", ref = "what-if-workload")
              }))
  public WhatIfView whatIf(@Context SecurityContext context, InputStream body) {
    Call call = Call.of(context);
    WhatIfDocument document = JsonBody.read(body, WhatIfDocument.class);
    JsonNode pod = document.pod();
    return WhatIfView.of(
        pod == null || pod.isNull()
            ? about(Required.of(document.workload(), "workload"), call)
            : about(WhatIf.colocatable(pod), call),
        call.visibility());
  }

  /** Recent decisions of the webhooks. */
  @GET
  @Operation(summary = "List the newest decisions of the webhooks, newest first")
  public HistoryView newest(
      @Context SecurityContext context,
      @Parameter(description = "Maximum number of entries, default 50", example = "10")
          @QueryParam("limit")
          @Nullable String limit) {
    int most = QueryNumbers.positiveOr(DEFAULT_LIMIT, "limit", limit);
    Visibility visibility = Call.of(context).visibility();
    return HistoryView.of(
        history.newest(most, made -> visibility.shows(made.pod().namespace())), visibility);
  }

  private WhatIf.Answer about(Colocatable pod, Call call) {
    call.requireIn(pod.pod().namespace());
    return whatIf.about(pod);
  }

  private WhatIf.Answer about(WorkloadDocument workload, Call call) {
    Colocatable pod = workload.colocatable("what-if");
    call.requireIn(pod.pod().namespace());
    return whatIf.aboutKnown(pod);
  }
}
