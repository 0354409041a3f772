package dev.cotenant.engine.sizing;

import com.fasterxml.jackson.annotation.JsonProperty;
import org.jspecify.annotations.Nullable;

/**
 * The memory that suffices for a workload. Amounts are of one GPU of one pod, unless said.
 *
 * @param namespace its namespace
 * @param workload the top of its owners, {@code Deployment/llama}
 * @param product product of its GPUs, as named by the driver
 * @param pods that run
 * @param gpus of all of these
 * @param requested by the pod that requests most; null where nothing says so
 * @param predicted upper bound at admission, the largest of its pods; null without
 * @param usedMedian of all samples
 * @param used99 their 99th percentile
 * @param usedMost the largest
 * @param recommended for every pod, on whole MiB
 * @param probability that it suffices for the next window of a pod, where windows are exchangeable
 * @param freed on all GPUs: requested less recommended; negative where more is needed, null where
 *     the request is not known
 * @param money of the freed part of its GPUs, an hour; null without a price
 * @param tested back-tested windows, each predicted from earlier windows
 * @param exceeded of these windows, those whose recommendation did not suffice
 * @param lastSeen newest sample of its pods; one that has just ended counts as running a while
 */
public record Recommendation(
    @JsonProperty("namespace") String namespace,
    @JsonProperty("workload") String workload,
    @JsonProperty("product") String product,
    @JsonProperty("pods") int pods,
    @JsonProperty("gpus") int gpus,
    @JsonProperty("requested_bytes") @Nullable Long requested,
    @JsonProperty("predicted_bytes") @Nullable Long predicted,
    @JsonProperty("used_p50_bytes") long usedMedian,
    @JsonProperty("used_p99_bytes") long used99,
    @JsonProperty("used_max_bytes") long usedMost,
    @JsonProperty("recommended_bytes") long recommended,
    @JsonProperty("probability") double probability,
    @JsonProperty("freed_bytes") @Nullable Long freed,
    @JsonProperty("money_per_hour") @Nullable Double money,
    @JsonProperty("back_tested") int tested,
    @JsonProperty("exceeded") int exceeded,
    @JsonProperty("last_seen_at") String lastSeen) {}
