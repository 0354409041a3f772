package dev.cotenant.service.rest.history;

import dev.cotenant.service.access.Visibility;
import dev.cotenant.service.history.Figure;
import dev.cotenant.service.history.HistoryStore;
import dev.cotenant.service.history.HistoryStore.Point;
import dev.cotenant.service.rest.Call;
import dev.cotenant.service.rest.query.HistoryHours;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.SecurityContext;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;

/** Totals of the cluster over time. */
@Tag(name = "Cluster", description = "GPUs, their tenants and forecasts of their memory")
@Path("/v1/history")
@Produces(MediaType.APPLICATION_JSON)
public class HistoryResource {
  /** Points of an answer, about as many as a plot has columns. */
  private static final int POINTS = 300;

  private final HistoryStore store;

  HistoryResource(HistoryStore store) {
    this.store = store;
  }

  /** The totals. */
  @GET
  @Operation(
      summary = "Show the totals of the cluster over time",
      description =
          "About 300 points at most, each with the means of its minutes. Figures are of the whole"
              + " cluster.")
  public ClusterHistoryView totals(
      @Context SecurityContext context, @BeanParam HistoryHours hours) {
    int step = (int) Math.ceilDiv(Duration.ofHours(hours.hours()).toMinutes(), POINTS);
    Visibility visibility = Call.of(context).visibility();
    return new ClusterHistoryView(
        step,
        store.points(hours.from(), step).stream()
            .map(point -> new Point(point.at(), point.minutes(), seen(point.figures(), visibility)))
            .toList());
  }

  /** Without the number of pods that wait, which is known of the caller's namespaces only. */
  static Map<String, Double> seen(Map<String, Double> figures, Visibility visibility) {
    Map<String, Double> seen = new HashMap<>(figures);
    if (!visibility.equals(Visibility.EVERYTHING)) {
      seen.remove(Figure.WAITING_PODS.key());
    }
    return seen;
  }
}
