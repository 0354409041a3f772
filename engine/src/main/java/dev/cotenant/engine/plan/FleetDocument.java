package dev.cotenant.engine.plan;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.domain.InputException;
import dev.cotenant.engine.files.StrictJson;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A fleet to plan, as written by a user.
 *
 * @param devices GPUs that can be had
 * @param workloads inference with a latency objective and a rate
 * @param jobs training
 * @param placement partitions that are given, for strategies that only choose batches
 * @param arrivals {@code constant} or {@code poisson}; absent is poisson
 */
public record FleetDocument(
    @JsonProperty("devices") @Nullable List<@Nullable DeviceEntry> devices,
    @JsonProperty("workloads") @Nullable List<@Nullable WorkloadEntry> workloads,
    @JsonProperty("jobs") @Nullable List<@Nullable JobEntry> jobs,
    @JsonProperty("placement") @Nullable List<@Nullable ShareEntry> placement,
    @JsonProperty("arrivals") @Nullable String arrivals) {

  /**
   * GPUs of one kind.
   *
   * @param id of the catalogue
   * @param pricePerHour absent is 1, so that the cost is the number of GPUs
   * @param maxCount absent is no limit
   */
  public record DeviceEntry(
      @JsonProperty("id") @Nullable String id,
      @JsonProperty("price_per_hour") @Nullable Double pricePerHour,
      @JsonProperty("max_count") @Nullable Integer maxCount) {}

  /**
   * Inference.
   *
   * @param profile the name of its profile; this or {@code model}
   * @param model an ONNX file, or a registered model
   * @param memoryGib held GPU memory; if absent, the prediction of a model, and zero for a profile
   * @param memoryByBatch measured memory by batch, in place of {@code memory_gib}
   * @param metrics where it is measured; for fleets that are watched
   */
  public record WorkloadEntry(
      @JsonProperty("name") @Nullable String name,
      @JsonProperty("profile") @Nullable String profile,
      @JsonProperty("model") @Nullable String model,
      @JsonProperty("slo_latency_ms") @Nullable Double sloLatencyMillis,
      @JsonProperty("request_rate_per_second") @Nullable Double requestRatePerSecond,
      @JsonProperty("memory_gib") @Nullable Double memoryGib,
      @JsonProperty("memory_by_batch") @Nullable List<@Nullable MemoryEntry> memoryByBatch,
      @JsonProperty("metrics") @Nullable MetricsEntry metrics) {}

  /**
   * Memory of a workload at one batch.
   *
   * @param batch samples
   * @param memoryGib GiB of a GPU's memory
   */
  public record MemoryEntry(
      @JsonProperty("batch") @Nullable Integer batch,
      @JsonProperty("memory_gib") @Nullable Double memoryGib) {}

  /**
   * Where a workload is measured: by a server of a known kind, or in PromQL of one's own.
   *
   * @param source {@code triton}, {@code kserve} or {@code vllm}; this or {@code rate}
   * @param model name of the model in the server; absent for the workload's name
   * @param matchers added to each selector of a known kind
   * @param rate PromQL of its requests a second
   * @param p99Millis PromQL of the 99th percentile of its latency
   * @param meanMillis PromQL of its mean latency
   * @param samples PromQL of a metric whose newest sample tells how old the rate is
   */
  public record MetricsEntry(
      @JsonProperty("source") @Nullable String source,
      @JsonProperty("model") @Nullable String model,
      @JsonProperty("matchers") @Nullable String matchers,
      @JsonProperty("rate") @Nullable String rate,
      @JsonProperty("p99_ms") @Nullable String p99Millis,
      @JsonProperty("mean_ms") @Nullable String meanMillis,
      @JsonProperty("samples") @Nullable String samples) {}

  /**
   * Training.
   *
   * @param batchSize absent is 1
   * @param mode absent is training
   * @param durationMinutes alone on a GPU; absent is an hour
   * @param memoryGib the memory request; absent for the predicted upper bound
   */
  public record JobEntry(
      @JsonProperty("name") @Nullable String name,
      @JsonProperty("model") @Nullable String model,
      @JsonProperty("batch_size") @Nullable Integer batchSize,
      @JsonProperty("mode") @Nullable String mode,
      @JsonProperty("duration_minutes") @Nullable Double durationMinutes,
      @JsonProperty("memory_gib") @Nullable Double memoryGib) {}

  /** A partition of a workload on a GPU, numbered from 0. */
  public record ShareEntry(
      @JsonProperty("gpu") @Nullable Integer gpu,
      @JsonProperty("workload") @Nullable String workload,
      @JsonProperty("share_percent") @Nullable Double sharePercent) {}

  /**
   * Binds a parsed document.
   *
   * @param name stands for it in messages
   * @throws InputException ({@code bad-plan}) naming the place
   */
  public static FleetDocument of(JsonNode document, String name) {
    return StrictJson.read(
        document, FleetDocument.class, (place, problem) -> bad(name, place, problem));
  }

  /** As above, from the document's bytes. */
  public static FleetDocument of(byte[] document, String name) {
    return StrictJson.read(
        document, FleetDocument.class, (place, problem) -> bad(name, place, problem));
  }

  /** The error for a place in a document. */
  public static InputException bad(String name, String place, String problem) {
    return InputException.malformed("bad-plan", name + ": " + place + ": " + problem + ".");
  }

  /** Nothing where there is no list. */
  public static <T> List<T> present(@Nullable List<T> list) {
    return Objects.requireNonNullElse(list, List.of());
  }
}
