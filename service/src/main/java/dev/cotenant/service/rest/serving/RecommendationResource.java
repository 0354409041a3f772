package dev.cotenant.service.rest.serving;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.engine.sizing.GpuPrices;
import dev.cotenant.service.rest.Call;
import dev.cotenant.service.rest.query.QueryNumbers;
import dev.cotenant.service.serving.KvCaches;
import dev.cotenant.service.serving.Recommendations;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.SecurityContext;
import java.time.Duration;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** The memory that suffices for workloads, and the KV caches that suffice for servers. */
@Tag(name = "Predictions", description = "Utilization, memory and step time of models on devices")
@Path("/v1/recommendations")
@Produces(MediaType.APPLICATION_JSON)
public class RecommendationResource {
  private static final int DAYS = 14;
  private static final int MAX_DAYS = 31;
  private static final int WINDOW_HOURS = 24;
  private static final Duration KV_WINDOW = Duration.ofHours(1);
  private static final String COVERAGE = "0.95";

  private final Recommendations workloads;
  private final KvCaches caches;

  RecommendationResource(Recommendations workloads, KvCaches caches) {
    this.workloads = workloads;
    this.caches = caches;
  }

  /** Of the workloads that run. */
  @GET
  @Operation(
      summary = "Recommend the GPU memory of workloads from the used memory of their pods",
      description =
          "Reads used memory of DCGM's exporter, and requests and owners of kube-state-metrics,"
              + " from the metrics server, and recommends memory with the probability that it"
              + " suffices for the next window, the freed memory, and a back-test. Servers of"
              + " language models allocate all memory that they get: for them it recommends the"
              + " KV cache.")
  public RecommendationsView list(
      @Context SecurityContext context,
      @Parameter(description = "Length of the history, up to 31, default 14", example = "14")
          @QueryParam("days")
          @Nullable String days,
      @Parameter(
              description = "Hours of a window, from which the next is predicted, default 24",
              example = "24")
          @QueryParam("window")
          @Nullable String window,
      @Parameter(description = "Probability that it suffices, default 0.95", example = COVERAGE)
          @QueryParam("coverage")
          @Nullable String coverage,
      @Parameter(
              description =
                  "Price of a GPU hour, of all products or of one as DCGM names it; repeatable."
                      + " Absent: cotenant.devices.prices",
              example = "2.5")
          @QueryParam("price")
          List<String> prices) {
    Duration history = Duration.ofDays(QueryNumbers.positiveOr(DAYS, "days", days));
    Duration one = Duration.ofHours(QueryNumbers.positiveOr(WINDOW_HOURS, "window", window));
    if (history.toDays() > MAX_DAYS || one.multipliedBy(2).compareTo(history) > 0) {
      throw InputException.invalidArgument(
          "bad-window",
          "'days' must be from 1 to " + MAX_DAYS + ", and 'window' at most half of these.");
    }
    Coverage level = QueryNumbers.coverage(coverage == null ? COVERAGE : coverage);
    String namespace = Call.of(context).visibility().namespace();
    var wanted =
        new Recommendations.Wanted(history, one, level, GpuPrices.of("Parameter price", prices));
    return RecommendationsView.of(
        workloads.recommend(namespace, wanted),
        caches.advise(namespace, new KvCaches.Wanted(history, KV_WINDOW, level.fraction())));
  }
}
