package dev.cotenant.service.rest.serving;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.engine.serving.KvCacheAdvice;
import dev.cotenant.engine.sizing.Recommendation;
import dev.cotenant.engine.sizing.RecommendationTable;
import dev.cotenant.engine.sizing.RightSizing;
import dev.cotenant.service.serving.KvCaches;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The memory that suffices for workloads and the KV caches of servers.
 *
 * @param workloads those that free most first
 * @param servers of language models
 * @param skipped one line per workload or server without a recommendation
 * @param missing one line for each kind of series that is missing
 */
public record RecommendationsView(
    @JsonProperty("workloads") List<Recommendation> workloads,
    @JsonProperty("kv_caches") List<KvCacheAdvice> servers,
    @JsonProperty("skipped") List<String> skipped,
    @JsonProperty("missing") List<String> missing) {
  public RecommendationsView {
    workloads = List.copyOf(workloads);
    servers = List.copyOf(servers);
    skipped = List.copyOf(skipped);
    missing = List.copyOf(missing);
  }

  /** A table and sentences. */
  public List<String> lines(int width) {
    List<String> lines = new ArrayList<>();
    if (!workloads.isEmpty()) {
      lines.addAll(RecommendationTable.of(workloads).lines(workloads, width));
      lines.add("");
      lines.add(RecommendationTable.summary(workloads));
    }
    for (KvCacheAdvice server : servers) {
      lines.add(
          server.server()
              + ": --kv-cache-memory-bytes="
              + server.bytes()
              + " in place of "
              + MemorySize.ofBytes(server.poolBytes())
              + " suffices for the next window with "
              + Math.round(100 * server.probability())
              + " %");
    }
    skipped.forEach(line -> lines.add("skipped: " + line));
    lines.addAll(missing);
    return lines;
  }

  static RecommendationsView of(RightSizing.Result result, KvCaches.Advised advised) {
    return new RecommendationsView(
        result.workloads(),
        advised.servers(),
        Stream.concat(result.skipped().stream(), advised.skipped().stream()).toList(),
        result.missing());
  }
}
