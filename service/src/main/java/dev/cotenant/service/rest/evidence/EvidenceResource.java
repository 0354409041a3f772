package dev.cotenant.service.rest.evidence;

import dev.cotenant.service.access.Visibility;
import dev.cotenant.service.configuration.ServiceSettings;
import dev.cotenant.service.evidence.EvidenceCounts;
import dev.cotenant.service.rest.Call;
import dev.cotenant.service.rest.query.PageParameters;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.SecurityContext;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** Whether predictions hold, by namespace. */
@Tag(name = "Decisions", description = "Whether a workload may share a GPU, on which, and why not")
@Path("/v1/evidence")
@Produces(MediaType.APPLICATION_JSON)
public class EvidenceResource {
  private final EvidenceCounts evidence;
  private final ServiceSettings settings;

  EvidenceResource(EvidenceCounts evidence, ServiceSettings settings) {
    this.evidence = evidence;
    this.settings = settings;
  }

  /** By namespace. */
  @GET
  @Operation(
      summary = "Show whether bounds held, and whether namespaces are ready to enforce",
      description =
          "Counts of the last 30 days over all replicas. Each measured run, of a pod alone on a"
              + " GPU or from /v1/profiles, is compared with the bounds of its earlier"
              + " prediction.")
  public EvidenceListView list(
      @Context SecurityContext context, @BeanParam PageParameters parameters) {
    Visibility visibility = Call.of(context).visibility();
    return EvidenceListView.of(
        evidence.namespaces(settings.policies().byNamespace().keySet()).stream()
            .filter(one -> visibility.shows(one.namespace()))
            .toList(),
        parameters,
        settings.policies());
  }
}
