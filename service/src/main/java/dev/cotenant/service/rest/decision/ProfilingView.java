package dev.cotenant.service.rest.decision;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.admission.policy.Measuring;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.service.decisions.Explanation;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * State of a training's profiling.
 *
 * @param state {@code unknown}, {@code profiling} while it is measured alone, or {@code known}
 * @param until until when at the latest it is measured alone; absent unless it is
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record ProfilingView(
    @JsonProperty("state") String state, @JsonProperty("until") @Nullable String until) {

  /** Null for servers, language models, unknown models, and where the policy profiles nothing. */
  static @Nullable ProfilingView of(Explanation explanation, @Nullable Prediction prediction) {
    @Nullable Instant until = until(explanation);
    if (until != null) {
      return new ProfilingView("profiling", until.toString());
    }
    if (prediction == null
        || prediction.settings().mode() != ExecutionMode.TRAINING
        || prediction.engine() != null
        || explanation.policy().measuring().profiling() == Measuring.Profiling.OFF) {
      return null;
    }
    return new ProfilingView(prediction.isUtilizationMeasured() ? "known" : "unknown", null);
  }

  private static @Nullable Instant until(Explanation explanation) {
    return explanation.tenant().map(Tenant::profiledUntil).orElse(null);
  }
}
