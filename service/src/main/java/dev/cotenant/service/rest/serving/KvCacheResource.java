package dev.cotenant.service.rest.serving;

import dev.cotenant.domain.InputException;
import dev.cotenant.engine.serving.KvHistory;
import dev.cotenant.llm.serving.KvDemand;
import dev.cotenant.service.rest.Call;
import dev.cotenant.service.rest.query.QueryNumbers;
import dev.cotenant.service.serving.KvCaches;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.SecurityContext;
import java.time.Duration;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** The KV caches that suffice for servers of language models. */
@Tag(name = "Predictions", description = "Utilization, memory and step time of models on devices")
@Path("/v1/kv-caches")
@Produces(MediaType.APPLICATION_JSON)
public class KvCacheResource {
  private static final int DAYS = 7;
  private static final int MAX_DAYS = 31;
  private static final int WINDOW_MINUTES = 60;
  private static final String COVERAGE = "0.95";

  private final KvCaches caches;

  KvCacheResource(KvCaches caches) {
    this.caches = caches;
  }

  /** Of the servers that hold GPUs. */
  @GET
  @Operation(
      summary = "Recommend the KV caches of servers from the use of their requests",
      description =
          "Reads vllm:kv_cache_usage_perc and vllm:cache_config_info of the servers with GPUs from"
              + " the metrics server, and recommends --kv-cache-memory-bytes for each, with the"
              + " probability that it suffices for the next window, and a back-test.")
  public KvCachesView list(
      @Context SecurityContext context,
      @Parameter(description = "Length of the history, up to 31, default 7", example = "7")
          @QueryParam("days")
          @Nullable String days,
      @Parameter(
              description =
                  "Minutes of a window, of which the 99th percentile has to fit, default 60",
              example = "60")
          @QueryParam("window")
          @Nullable String window,
      @Parameter(description = "Probability that it suffices, default 0.95", example = COVERAGE)
          @QueryParam("coverage")
          @Nullable String coverage) {
    Duration history = Duration.ofDays(QueryNumbers.positiveOr(DAYS, "days", days));
    Duration one = Duration.ofMinutes(QueryNumbers.positiveOr(WINDOW_MINUTES, "window", window));
    Duration shortest = KvHistory.step(history).multipliedBy(KvDemand.MIN_SAMPLES);
    if (history.toDays() > MAX_DAYS || one.compareTo(history) > 0 || one.compareTo(shortest) < 0) {
      throw InputException.invalidArgument(
          "bad-window",
          "'days' must be from 1 to "
              + MAX_DAYS
              + ", and 'window' from "
              + Math.ceilDiv(shortest.toSeconds(), 60)
              + " minutes to these.");
    }
    double level = QueryNumbers.coverage(coverage == null ? COVERAGE : coverage).fraction();
    return KvCachesView.of(
        caches.advise(
            Call.of(context).visibility().namespace(), new KvCaches.Wanted(history, one, level)));
  }
}
