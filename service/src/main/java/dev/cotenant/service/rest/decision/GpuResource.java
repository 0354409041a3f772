package dev.cotenant.service.rest.decision;

import dev.cotenant.admission.capacity.CapacityLedger;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.engine.view.GpuView;
import dev.cotenant.service.access.Visibility;
import dev.cotenant.service.cluster.GrantAudit;
import dev.cotenant.service.cluster.LiveCluster;
import dev.cotenant.service.configuration.ServiceSettings;
import dev.cotenant.service.history.HistoryStore;
import dev.cotenant.service.rest.Call;
import dev.cotenant.service.rest.Examples;
import dev.cotenant.service.rest.query.HistoryHours;
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

/** GPUs of the cluster. */
@Tag(name = "Cluster", description = "GPUs, their tenants and forecasts of their memory")
@Path("/v1/gpus")
@Produces(MediaType.APPLICATION_JSON)
public class GpuResource {
  private final LiveCluster cluster;
  private final CapacityLedger capacity;
  private final ServiceSettings settings;
  private final GrantAudit reviews;
  private final HistoryStore history;

  GpuResource(
      LiveCluster cluster,
      CapacityLedger capacity,
      ServiceSettings settings,
      GrantAudit reviews,
      HistoryStore history) {
    this.cluster = cluster;
    this.history = history;
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
      @Parameter(description = "Id of a device; absent: all", example = "a100-40gb")
          @QueryParam("device")
          @Nullable String device,
      @BeanParam PageParameters page) {
    List<GpuSnapshot> wanted =
        capacity.withGrants().gpus().stream()
            .filter(gpu -> PageParameters.passes(node, gpu.node()))
            .filter(gpu -> PageParameters.passes(device, gpu.device().id().value()))
            .toList();
    return GpusView.of(
        new GpusView.Shown(cluster, reviews),
        page.of(wanted, GpuSnapshot::uuid),
        settings.limits(),
        Call.of(context).visibility());
  }

  /** One GPU. */
  @GET
  @Path("/{uuid}")
  @Operation(summary = "Show a GPU with its tenants, grants included")
  public GpuView gpu(
      @Context SecurityContext context,
      @Parameter(example = Examples.GPU) @PathParam("uuid") String uuid) {
    GpuSnapshot gpu = LiveCluster.require(capacity.withGrants(), uuid);
    return Redaction.of(
        gpu,
        Call.of(context).visibility(),
        new GpusView.Shown(cluster, reviews).review(gpu.uuid()));
  }

  /** What a GPU looked like. */
  @GET
  @Path("/{uuid}/history")
  @Operation(
      summary = "Show the history of a GPU",
      description =
          "Every minute of the last day, before that one minute in fifteen, as far as"
              + " cotenant.history.retention and cotenant.history.gpu-rows allow.")
  public GpuHistoryView history(
      @Context SecurityContext context,
      @Parameter(example = Examples.GPU) @PathParam("uuid") String uuid,
      @BeanParam HistoryHours hours) {
    Visibility visibility = Call.of(context).visibility();
    return new GpuHistoryView(
        uuid,
        history.gpu(uuid, hours.from()).stream().map(point -> point.redacted(visibility)).toList());
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
