package dev.cotenant.service.rest.decision;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.decision.DecisionRecord;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.lifecycle.StoreException;
import dev.cotenant.service.access.Visibility;
import dev.cotenant.service.decisions.DecisionHistory;
import dev.cotenant.service.decisions.DecisionLog;
import dev.cotenant.service.decisions.DecisionStore.Stored;
import dev.cotenant.service.decisions.DecisionStore.Wanted;
import dev.cotenant.service.decisions.WhatIf;
import dev.cotenant.service.rest.Call;
import dev.cotenant.service.rest.Examples;
import dev.cotenant.service.rest.JsonBody;
import dev.cotenant.service.rest.Required;
import dev.cotenant.service.rest.decision.DecisionViews.EntryView;
import dev.cotenant.service.rest.decision.DecisionViews.HistoryView;
import dev.cotenant.service.rest.decision.DecisionViews.WhatIfView;
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
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
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
  private final DecisionLog log;
  private final Engine engine;

  DecisionResource(WhatIf whatIf, DecisionHistory history, DecisionLog log, Engine engine) {
    this.engine = engine;
    this.whatIf = whatIf;
    this.history = history;
    this.log = log;
  }

  /** A dry run. */
  @POST
  @Consumes(MediaType.APPLICATION_JSON)
  @Operation(
      summary = "Decide as a dry run",
      description =
          "Decides about a pod or a workload on the cluster with all grants, or on a recorded"
              + " cluster in the body, which every replica accepts. Records nothing.")
  @RequestBody(
      required = true,
      content =
          @Content(
              schema = @Schema(implementation = WhatIfDocument.class),
              examples = {
                @ExampleObject(name = "pod", ref = "what-if-pod"),
                @ExampleObject(name = "workload", ref = "what-if-workload"),
                @ExampleObject(name = "recorded", ref = "what-if-recorded")
              }))
  public WhatIfView whatIf(@Context SecurityContext context, InputStream body) {
    Call call = Call.of(context);
    WhatIfDocument document = JsonBody.read(body, WhatIfDocument.class);
    Optional<ClusterSnapshot> recorded = recorded(document.cluster());
    return WhatIfView.of(
        answer(document, recorded, call),
        recorded.isPresent() ? Visibility.EVERYTHING : call.visibility()); // the caller's own names
  }

  /** Recent decisions of the webhooks. */
  @GET
  @Operation(
      summary = "List the newest decisions of the webhooks, newest first",
      description =
          "The newest 50 unless a limit is given, of all replicas, from the stored decisions"
              + " (cotenant.history.retention, at most 20,000). While the database is down:"
              + " decisions in the memory of this process.")
  public HistoryView newest(
      @Context SecurityContext context,
      @Parameter(description = "NAMESPACE/NAME of a pod; absent: all", example = "team-a/train")
          @QueryParam("pod")
          @Nullable String pod,
      @Parameter(
              description =
                  "UUID of a GPU in a grant, or in one of the 50 most useful reasons; absent: all",
              example = Examples.GPU)
          @QueryParam("gpu")
          @Nullable String gpu,
      @BeanParam PageParameters page) {
    Visibility visibility = Call.of(context).visibility();
    try {
      return stored(new Filter(pod, gpu), page, visibility);
    } catch (StoreException _) {
      return remembered(new Filter(pod, gpu), page, visibility);
    }
  }

  private record Filter(@Nullable String pod, @Nullable String gpu) {
    boolean passes(DecisionRecord made) {
      return PageParameters.passes(pod, made.pod().toString())
          && (gpu == null || DecisionEntries.gpus(made.decision()).anyMatch(gpu::equals));
    }
  }

  private HistoryView stored(Filter filter, PageParameters parameters, Visibility visibility) {
    Page<Stored> page =
        parameters.behind(
            (before, limit) ->
                log.newest(
                    new Wanted(visibility.namespace(), filter.pod, filter.gpu, before), limit),
            Stored::number,
            DEFAULT_LIMIT);
    return new HistoryView(
        page.entries().stream()
            .flatMap(entry -> DecisionEntries.view(entry, visibility).stream())
            .toList(),
        page.next());
  }

  private HistoryView remembered(Filter filter, PageParameters parameters, Visibility visibility) {
    List<DecisionRecord> wanted =
        history.newest(
            Integer.MAX_VALUE,
            made -> visibility.shows(made.pod().namespace()) && filter.passes(made));
    Page<EntryView> page =
        parameters
            .of(wanted, made -> made.at() + " " + made.pod(), DEFAULT_LIMIT)
            .map(made -> EntryView.of(made, visibility));
    return new HistoryView(page.entries(), page.next());
  }

  private WhatIf.Answer answer(
      WhatIfDocument document, Optional<ClusterSnapshot> recorded, Call call) {
    JsonNode pod = document.pod();
    WorkloadDocument workload = document.workload();
    Colocatable request =
        workload == null
            ? WhatIf.colocatable(Required.of(pod, "pod"))
            : workload.colocatable("what-if");
    call.requireIn(request.pod().namespace());
    if (workload != null) {
      whatIf.requireKnown(request);
    }
    return whatIf.about(request, recorded);
  }

  /** The cluster of the body; a place in it is named from {@code cluster}. */
  private Optional<ClusterSnapshot> recorded(@Nullable JsonNode cluster) {
    return cluster == null || cluster.isNull()
        ? Optional.empty()
        : Optional.of(
            engine.snapshot(
                engine.readCluster(
                    cluster.toString().getBytes(StandardCharsets.UTF_8), "cluster")));
  }
}
