package dev.cotenant.service.rest.evidence;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.admission.policy.Policies;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.service.evidence.EvidenceCounts;
import dev.cotenant.service.evidence.EvidenceCounts.Known;
import dev.cotenant.service.evidence.Observed;
import dev.cotenant.service.evidence.Readiness;
import dev.cotenant.service.rest.query.Page;
import dev.cotenant.service.rest.query.PageParameters;
import java.time.LocalDate;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What is known of namespaces.
 *
 * @param level share of cases in which each bound is to hold
 * @param since first day of the counts of all pages, ISO 8601; absent without any
 * @param next token of the next page; absent on the last
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record EvidenceListView(
    @JsonProperty("level") double level,
    @JsonProperty("since") @Nullable String since,
    @JsonProperty("namespaces") List<NamespaceView> namespaces,
    @JsonProperty("continue") @Nullable String next) {
  private static final double SECONDS = 3_600;
  private static final double MICROS = 1e6;

  public EvidenceListView {
    namespaces = List.copyOf(namespaces);
  }

  /**
   * A namespace; empty for rows that count in every namespace.
   *
   * @param ready whether the bounds of its predictions may be relied on, whatever its mode
   * @param inForce whether its mode acts on them
   * @param because the numbers that say so
   * @param decisions decisions about pods, dry runs left out
   * @param shared those that admit a pod to a shared GPU
   * @param wouldSaveGpuHours hours that pods which would share had whole GPUs alone, in modes
   *     shadow and warn
   * @param wouldSaveMoney their price; absent without prices
   * @param predictedSlowdown mean of the slowdowns predicted for those that share; absent without
   *     any
   * @param predictedSlowed of those, how many were predicted to slow somebody by more than 5 %
   */
  public record NamespaceView(
      @JsonProperty("namespace") String namespace,
      @JsonProperty("mode") String mode,
      @JsonProperty("ready") boolean ready,
      @JsonProperty("in_force") boolean inForce,
      @JsonProperty("because") String because,
      @JsonProperty("utilization") CheckedView utilization,
      @JsonProperty("peak_memory") CheckedView peakMemory,
      @JsonProperty("decisions") long decisions,
      @JsonProperty("shared") long shared,
      @JsonProperty("held") long held,
      @JsonProperty("denied") long denied,
      @JsonProperty("would_save_gpu_hours") double wouldSaveGpuHours,
      @JsonInclude(JsonInclude.Include.NON_NULL) @JsonProperty("would_save_money")
          @Nullable Double wouldSaveMoney,
      @JsonInclude(JsonInclude.Include.NON_NULL) @JsonProperty("predicted_slowdown")
          @Nullable Double predictedSlowdown,
      @JsonProperty("predicted_slowed") long predictedSlowed) {
    static NamespaceView of(Known known, Policies policies) {
      Readiness readiness = EvidenceCounts.readiness(known, policies);
      long shared = known.count(Observed.DECIDED_SHARED);
      long held = known.count(Observed.DECIDED_HELD);
      long denied = known.count(Observed.DECIDED_DENIED);
      return new NamespaceView(
          known.namespace(),
          policies.of(known.namespace()).mode().name().toLowerCase(Locale.ROOT),
          readiness.isReady(),
          readiness.isInForce(),
          readiness.because(),
          new CheckedView(
              known.count(Observed.UTILIZATION_CHECKED), known.count(Observed.UTILIZATION_HELD)),
          new CheckedView(known.count(Observed.MEMORY_CHECKED), known.count(Observed.MEMORY_HELD)),
          shared + held + denied + known.count(Observed.DECIDED_ALONE),
          shared,
          held,
          denied,
          rounded(known.count(Observed.WOULD_SAVE_SECONDS) / SECONDS),
          money(known),
          shared == 0 ? null : Double.valueOf(slowdown(known, shared)),
          known.count(Observed.PREDICTED_SLOWED));
    }

    private static @Nullable Double money(Known known) {
      long micros = known.count(Observed.WOULD_SAVE_MICROS);
      return micros == 0 ? null : Double.valueOf(rounded(micros / MICROS));
    }

    /** Decisions of earlier versions have no slowdown, which is none. */
    private static double slowdown(Known known, long shared) {
      return rounded(Math.max(1, known.count(Observed.PREDICTED_SLOWDOWN_MILLI) / 1e3 / shared));
    }

    private static double rounded(double value) {
      return Math.round(value * 1e3) / 1e3;
    }
  }

  /** Measured runs that were compared with a bound, and those within it. */
  public record CheckedView(@JsonProperty("checks") long checks, @JsonProperty("held") long held) {}

  static EvidenceListView of(List<Known> known, PageParameters parameters, Policies policies) {
    Page<Known> page = parameters.of(known, one -> one.namespace() + "/");
    return new EvidenceListView(
        Coverage.STANDARD.fraction(),
        known.stream()
            .filter(one -> !one.counts().isEmpty())
            .map(Known::sinceDay)
            .min(Long::compare)
            .map(day -> LocalDate.ofEpochDay(day).toString())
            .orElse(null),
        page.map(one -> NamespaceView.of(one, policies)).entries(),
        page.next());
  }
}
