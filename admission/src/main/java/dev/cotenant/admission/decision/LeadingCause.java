package dev.cotenant.admission.decision;

import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Reason;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The cause that a refused pod is counted under: too large for every GPU, which no wait cures; else
 * the most useful reason. Excluded nodes are the cause where no GPU is on another one. How long the
 * pod has waited is the cause of nothing where another reason is known.
 *
 * @param code {@link #TOO_LARGE}, or that of a reason
 * @param text what the pod needs and what the largest GPU has; null where it is not too large
 */
public record LeadingCause(String code, @Nullable String text) {
  /** Alone on any GPU that it may use, the pod is beyond the limits. */
  public static final String TOO_LARGE = "TooLarge";

  /** Cause of a refusal with at least one reason. */
  public static LeadingCause of(Decision refusal) {
    return tooLarge(refusal)
        .orElseGet(
            () -> new LeadingCause(ReasonOrder.mostUseful(refusal, causes(refusal)).code(), null));
  }

  private static List<Reason> causes(Decision refusal) {
    List<Reason> causes =
        refusal.reasons().stream()
            .filter(reason -> !(reason instanceof Reason.WaitTimeout))
            .toList();
    return causes.isEmpty() ? refusal.reasons() : causes;
  }

  /** By the GPU that lacks least. */
  private static Optional<LeadingCause> tooLarge(Decision refusal) {
    return refusal instanceof Decision.Denied || isTooLargeForEach(refusal.reasons())
        ? refusal.reasons().stream()
            .filter(reason -> reason.shortfall() > 0 && Double.isFinite(reason.shortfall()))
            .min(Comparator.comparingDouble(Reason::shortfall))
            .map(reason -> new LeadingCause(TOO_LARGE, reason.need().orElseThrow()))
        : Optional.empty();
  }

  /** Whether a held pod is too large for every GPU outside excluded nodes. */
  private static boolean isTooLargeForEach(List<Reason> reasons) {
    Map<String, Double> shortfalls =
        reasons.stream()
            .filter(Reason.OfGpu.class::isInstance)
            .map(Reason.OfGpu.class::cast)
            .collect(Collectors.toMap(Reason.OfGpu::gpuUuid, Reason::shortfall, Math::max));
    return !shortfalls.isEmpty() && shortfalls.values().stream().allMatch(one -> one > 0);
  }
}
