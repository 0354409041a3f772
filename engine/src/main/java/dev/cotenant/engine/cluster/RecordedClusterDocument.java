package dev.cotenant.engine.cluster;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The JSON of a recorded cluster, as Jackson binds it; {@link RecordedClusterReader} checks it.
 * Times are ISO 8601 in UTC, missing properties are null here.
 */
record RecordedClusterDocument(
    @JsonProperty("recorded_at") @Nullable String recordedAt,
    @JsonProperty("description") @Nullable String description,
    @JsonProperty("gpus") @Nullable List<@Nullable Gpu> gpus) {

  record Gpu(
      @JsonProperty("uuid") @Nullable String uuid,
      @JsonProperty("node") @Nullable String node,
      @JsonProperty("device") @Nullable String device,
      @JsonProperty("capacity_bytes") @Nullable Long capacityBytes,
      @JsonProperty("mig") @Nullable Boolean mig,
      @JsonProperty("exclusive_holder") @Nullable String exclusiveHolder,
      @JsonProperty("tenants") @Nullable List<@Nullable TenantEntry> tenants,
      @JsonProperty("used_memory") @Nullable Series usedMemory,
      @JsonProperty("observed_utilization_percent") @Nullable Double observedUtilizationPercent,
      @JsonProperty("index") @Nullable Integer index) {}

  record TenantEntry(
      @JsonProperty("name") @Nullable String name,
      @JsonProperty("utilization_percent") @Nullable Bounds utilizationPercent,
      @JsonProperty("peak_memory_bytes") @Nullable Bounds peakMemoryBytes,
      @JsonProperty("slowdown_limit_ratio") @Nullable Double slowdownLimitRatio,
      @JsonProperty("since") @Nullable String since) {}

  record Bounds(
      @JsonProperty("mean") @Nullable Double mean,
      @JsonProperty("lower") @Nullable Double lower,
      @JsonProperty("upper") @Nullable Double upper,
      @JsonProperty("coverage") @Nullable Double coverage) {}

  record Series(
      @JsonProperty("started_at") @Nullable String startedAt,
      @JsonProperty("interval_seconds") @Nullable Long intervalSeconds,
      @JsonProperty("bytes") @Nullable List<@Nullable Long> bytes) {}
}
