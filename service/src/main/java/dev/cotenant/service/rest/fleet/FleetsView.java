package dev.cotenant.service.rest.fleet;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.engine.fleet.FleetStore.Stored;
import dev.cotenant.engine.fleet.FleetView;
import dev.cotenant.engine.fleet.Fleets;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Watched fleets, by name.
 *
 * @param next token of the next page; absent on the last
 */
public record FleetsView(
    @JsonProperty("fleets") List<FleetSummary> fleets,
    @JsonInclude(JsonInclude.Include.NON_NULL) @JsonProperty("continue") @Nullable String next) {
  /** What is decided is never applied. */
  private static final String SHADOW = "shadow";

  public FleetsView {
    fleets = List.copyOf(fleets);
  }

  /**
   * A fleet in a list.
   *
   * @param mode {@code shadow}: nothing is applied
   * @param by the authenticated caller who stored it
   * @param storedAt when, ISO 8601 in UTC
   * @param decidedAt of the last decision; null before it
   * @param gpus of the target
   * @param changes of the last decision
   * @param held workloads whose rate could not be used
   * @param shortfalls workloads that are not served in full
   */
  public record FleetSummary(
      @JsonProperty("name") String name,
      @JsonProperty("mode") String mode,
      @JsonProperty("by") String by,
      @JsonProperty("stored_at") String storedAt,
      @JsonProperty("decided_at") @Nullable String decidedAt,
      @JsonProperty("workloads") int workloads,
      @JsonProperty("gpus") int gpus,
      @JsonProperty("changes") int changes,
      @JsonProperty("held") List<String> held,
      @JsonProperty("short") List<String> shortfalls) {
    static FleetSummary of(Stored stored, Optional<FleetView> last) {
      return new FleetSummary(
          stored.name(),
          SHADOW,
          stored.by(),
          stored.storedAt().toString(),
          last.map(FleetView::at).orElse(null),
          last.map(view -> view.workloads().size()).orElse(0),
          last.map(view -> view.gpus().size()).orElse(0),
          last.map(view -> view.changes().size()).orElse(0),
          last.map(FleetSummary::held).orElse(List.of()),
          last.map(FleetSummary::shortfalls).orElse(List.of()));
    }

    private static List<String> held(FleetView view) {
      return view.workloads().stream()
          .filter(each -> each.held() != null)
          .map(FleetView.WatchedWorkload::name)
          .toList();
    }

    private static List<String> shortfalls(FleetView view) {
      return view.shortfalls().stream().map(FleetView.FleetShortfall::workload).toList();
    }
  }

  /**
   * One fleet.
   *
   * @param mode {@code shadow}: nothing is applied
   * @param by the authenticated caller who stored it
   * @param storedAt when, ISO 8601 in UTC
   * @param last decision; null before it
   * @param waiting why there will be none; null where there will
   */
  public record FleetEntry(
      @JsonProperty("name") String name,
      @JsonProperty("mode") String mode,
      @JsonProperty("by") String by,
      @JsonProperty("stored_at") String storedAt,
      @JsonProperty("last") @Nullable FleetView last,
      @JsonProperty("waiting") @Nullable String waiting) {
    static FleetEntry of(Stored stored, Fleets fleets) {
      return new FleetEntry(
          stored.name(),
          SHADOW,
          stored.by(),
          stored.storedAt().toString(),
          fleets.view(stored).orElse(null),
          fleets.waiting().orElse(null));
    }
  }

  /** How many fleets were deleted. */
  public record DeletedFleetView(@JsonProperty("deleted") int deleted) {}
}
