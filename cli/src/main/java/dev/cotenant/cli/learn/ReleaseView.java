package dev.cotenant.cli.learn;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.llm.serving.LearnedServing;
import org.jspecify.annotations.Nullable;

/**
 * A release as JSON; errors in bytes, null without a start that was predicted from earlier ones.
 *
 * @param inForce {@code learnt} or {@code shipped}
 */
record ReleaseView(
    @JsonProperty("engine_version") String version,
    @JsonProperty("starts") int starts,
    @JsonProperty("predicted") int predicted,
    @JsonProperty("shipped_error_bytes") @Nullable Long shippedError,
    @JsonProperty("learnt_error_bytes") @Nullable Long learnedError,
    @JsonProperty("logit_bytes") double logitBytes,
    @JsonProperty("cuda_graph_constant_bytes") long graphConstant,
    @JsonProperty("in_force") String inForce) {
  static ReleaseView of(LearnedServing.Release release) {
    return new ReleaseView(
        release.version().toString(),
        release.starts(),
        release.scored(),
        whole(release.shippedError()),
        whole(release.learnedError()),
        release.learned().logitBytes(),
        (long) release.learned().graphBytes()[0],
        release.promoted() ? "learnt" : "shipped");
  }

  private static @Nullable Long whole(double bytes) {
    return Double.isNaN(bytes) ? null : Long.valueOf((long) bytes);
  }
}
