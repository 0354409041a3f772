package dev.cotenant.service.rest.evidence;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.admission.policy.Policies;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.service.evidence.EvidenceCounts;
import dev.cotenant.service.evidence.EvidenceCounts.Known;
import dev.cotenant.service.evidence.Observed;
import dev.cotenant.service.evidence.Readiness;
import java.time.LocalDate;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What is known of namespaces.
 *
 * @param level share of cases in which each bound is to hold
 * @param since first day of the counts, ISO-8601; absent without any
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record EvidenceListView(
    @JsonProperty("level") double level,
    @JsonProperty("since") @Nullable String since,
    @JsonProperty("namespaces") List<NamespaceView> namespaces) {
  public EvidenceListView {
    namespaces = List.copyOf(namespaces);
  }

  /**
   * A namespace; empty for rows that count in every namespace.
   *
   * @param ready whether it may be enforced, or is
   * @param because the numbers that say so
   * @param decisions decisions about pods, dry runs left out
   * @param shared those that admit a pod beside others
   */
  public record NamespaceView(
      @JsonProperty("namespace") String namespace,
      @JsonProperty("mode") String mode,
      @JsonProperty("ready") boolean ready,
      @JsonProperty("because") String because,
      @JsonProperty("utilization") CheckedView utilization,
      @JsonProperty("peak_memory") CheckedView peakMemory,
      @JsonProperty("decisions") long decisions,
      @JsonProperty("shared") long shared,
      @JsonProperty("held") long held,
      @JsonProperty("denied") long denied) {
    static NamespaceView of(Known known, Policies policies) {
      Readiness readiness = EvidenceCounts.readiness(known, policies);
      long shared = known.count(Observed.DECIDED_SHARED);
      long held = known.count(Observed.DECIDED_HELD);
      long denied = known.count(Observed.DECIDED_DENIED);
      return new NamespaceView(
          known.namespace(),
          policies.of(known.namespace()).mode().name().toLowerCase(Locale.ROOT),
          readiness.isReady(),
          readiness.because(),
          new CheckedView(
              known.count(Observed.UTILIZATION_CHECKED), known.count(Observed.UTILIZATION_HELD)),
          new CheckedView(known.count(Observed.MEMORY_CHECKED), known.count(Observed.MEMORY_HELD)),
          shared + held + denied + known.count(Observed.DECIDED_ALONE),
          shared,
          held,
          denied);
    }
  }

  /** Measured runs that were compared with a bound, and those within it. */
  public record CheckedView(@JsonProperty("checks") long checks, @JsonProperty("held") long held) {}

  static EvidenceListView of(List<Known> known, Policies policies) {
    return new EvidenceListView(
        Coverage.STANDARD.fraction(),
        known.stream()
            .map(Known::sinceDay)
            .min(Long::compare)
            .map(day -> LocalDate.ofEpochDay(day).toString())
            .orElse(null),
        known.stream().map(one -> NamespaceView.of(one, policies)).toList());
  }
}
