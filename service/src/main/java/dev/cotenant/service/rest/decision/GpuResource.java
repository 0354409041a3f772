package dev.cotenant.service.rest.decision;

import dev.cotenant.admission.capacity.CapacityLedger;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.service.cluster.LiveCluster;
import dev.cotenant.service.cluster.StandingReview;
import dev.cotenant.service.configuration.ServiceSettings;
import dev.cotenant.service.rest.Call;
import dev.cotenant.service.rest.Examples;
import dev.cotenant.service.rest.query.PageParameters;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.SecurityContext;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** The GPUs that are decided about. */
@Tag(name = "Cluster", description = "GPUs, their tenants and forecasts of their memory")
@Path("/v1/gpus")
@Produces(MediaType.APPLICATION_JSON)
public class GpuResource {
  private final LiveCluster cluster;
  private final CapacityLedger capacity;
  private final ServiceSettings settings;
  private final StandingReview reviews;

  GpuResource(
      LiveCluster cluster,
      CapacityLedger capacity,
      ServiceSettings settings,
      StandingReview reviews) {
    this.cluster = cluster;
    this.reviews = reviews;
    this.capacity = capacity;
    this.settings = settings;
  }

  /** All of them. */
  @GET
  @Operation(summary = "List GPUs with their tenants, grants included")
  public GpusView list(
      @Context SecurityContext context,
      @Parameter(description = "Name of a node; absent: all", example = "gpu-1") @QueryParam("node")
          @Nullable String node,
      @BeanParam PageParameters page) {
    List<GpuSnapshot> wanted =
        capacity.withGrants().gpus().stream()
            .filter(gpu -> PageParameters.passes(node, gpu.node()))
            .toList();
    return GpusView.of(
        new GpusView.Shown(cluster, reviews),
        page.of(wanted, GpuSnapshot::uuid),
        settings.limits(),
        Call.of(context).visibility());
  }

  /** One GPU's memory. */
  @GET
  @Path("/{uuid}/forecast")
  @Operation(summary = "Forecast a GPU's used memory, every estimator side by side")
  public GpuForecastView forecast(
      @Parameter(example = Examples.GPU) @PathParam("uuid") String uuid) {
    return GpuForecastView.of(cluster, LiveCluster.require(capacity.withGrants(), uuid));
  }
}
