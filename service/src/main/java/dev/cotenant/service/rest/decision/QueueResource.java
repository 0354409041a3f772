package dev.cotenant.service.rest.decision;

import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.service.access.Visibility;
import dev.cotenant.service.decisions.Explainer;
import dev.cotenant.service.decisions.PredictionGrounds;
import dev.cotenant.service.rest.Call;
import dev.cotenant.service.rest.Examples;
import dev.cotenant.service.rest.decision.ExplanationView.Look;
import dev.cotenant.service.rest.decision.ExplanationView.QueueView;
import dev.cotenant.service.rest.query.Page;
import dev.cotenant.service.rest.query.PageParameters;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.SecurityContext;
import java.util.List;
import java.util.Set;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** Gated pods, and explanations of pods. */
@Tag(name = "Decisions", description = "Whether a workload may share a GPU, on which, and why not")
@Path("/v1")
@Produces(MediaType.APPLICATION_JSON)
public class QueueResource {
  private static final int DEFAULT_LIMIT = 100;

  private final Explainer explainer;
  private final PredictionGrounds grounds;

  QueueResource(Explainer explainer, PredictionGrounds grounds) {
    this.explainer = explainer;
    this.grounds = grounds;
  }

  /** Gated pods. */
  @GET
  @Path("/queue")
  @Operation(
      summary = "List gated pods in queue order",
      description =
          "The first 100 unless a limit is given, each with its three most useful reasons;"
              + " /v1/explain has all. A replica that does not lead answers 503 and names the"
              + " leader.")
  public QueueView queue(@Context SecurityContext context, @BeanParam PageParameters parameters) {
    Visibility visibility = Call.of(context).visibility();
    List<PodIdentity> waiting =
        explainer.waiting().stream().filter(pod -> visibility.shows(pod.namespace())).toList();
    Page<PodIdentity> page = parameters.of(waiting, PodIdentity::toString, DEFAULT_LIMIT);
    return QueueView.of(
        explainer.queue(Set.copyOf(page.entries())::contains),
        page.next(),
        new Look(explainer.now(), visibility));
  }

  /** One pod. */
  @GET
  @Path("/explain/{namespace}/{pod}")
  @Operation(
      summary = "Explain why a pod waits, or its grant",
      description =
          "Reasons of every GPU, the most useful first; candidates show granted, measured and"
              + " forecast amounts of the GPUs with the smallest limit violation first.")
  public ExplanationView explain(
      @Context SecurityContext context,
      @Parameter(example = "team-a") @PathParam("namespace") String namespace,
      @Parameter(example = Examples.POD) @PathParam("pod") String pod) {
    return ExplanationView.of(
        explainer.explain(new PodIdentity(namespace, pod, null)),
        grounds,
        new Look(explainer.now(), Call.of(context).visibility()));
  }
}
