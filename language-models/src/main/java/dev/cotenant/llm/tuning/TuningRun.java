package dev.cotenant.llm.tuning;

import dev.cotenant.llm.model.LanguageModel;
import org.jspecify.annotations.Nullable;

/**
 * A measured fine-tuning job, or generation with the same library.
 *
 * @param family what is left out together: a method, or models of one origin
 * @param model loaded model
 * @param settings the job; null for generation
 * @param bytes peak on a GPU; NaN where it ran out of memory
 * @param limitBytes memory of the GPU, which a job that ran out would have exceeded
 */
public record TuningRun(
    String family,
    LanguageModel model,
    @Nullable TuningSettings settings,
    double bytes,
    double limitBytes) {
  /** Whether it ran out of memory. */
  public boolean ranOut() {
    return Double.isNaN(bytes);
  }
}
