package dev.cotenant.service.rest.decision;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Reason;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The reasons of a refusal that have one code.
 *
 * @param code of the reasons
 * @param reasonCount how many there are
 * @param gpus how many GPUs they are about; 0 where they are about none
 * @param nodes how many nodes they are about; 0 where they are about none
 */
record ReasonCountView(
    @JsonProperty("code") String code,
    @JsonProperty("reason_count") int reasonCount,
    @JsonProperty("gpus") int gpus,
    @JsonProperty("nodes") int nodes) {
  private static final Comparator<ReasonCountView> MOST_FIRST =
      Comparator.comparingInt(ReasonCountView::reasonCount)
          .reversed()
          .thenComparing(ReasonCountView::code);

  /** Of all reasons of a decision, the most frequent first. */
  static List<ReasonCountView> of(Decision decision) {
    Map<String, List<Reason>> byCode =
        decision.reasons().stream().collect(Collectors.groupingBy(Reason::code));
    return byCode.entrySet().stream()
        .map(entry -> of(entry.getKey(), entry.getValue()))
        .sorted(MOST_FIRST)
        .toList();
  }

  private static ReasonCountView of(String code, List<Reason> reasons) {
    List<Reason.OfGpu> onGpus =
        reasons.stream()
            .filter(Reason.OfGpu.class::isInstance)
            .map(Reason.OfGpu.class::cast)
            .toList();
    long nodes =
        reasons.stream()
            .filter(Reason.NodeExcluded.class::isInstance)
            .map(reason -> ((Reason.NodeExcluded) reason).node())
            .distinct()
            .count();
    return new ReasonCountView(
        code,
        reasons.size(),
        (int) onGpus.stream().map(Reason.OfGpu::gpuUuid).distinct().count(),
        (int) (nodes + onGpus.stream().map(Reason.OfGpu::node).distinct().count()));
  }
}
