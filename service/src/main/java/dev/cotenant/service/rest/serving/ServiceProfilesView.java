package dev.cotenant.service.rest.serving;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.engine.serving.ServiceProfileStore.Stored;
import dev.cotenant.service.rest.query.Page;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Stored profiles, by namespace, kind, name and device.
 *
 * @param next token of the next page; absent on the last
 */
public record ServiceProfilesView(
    @JsonProperty("profiles") List<ServiceProfileView> profiles,
    @JsonInclude(JsonInclude.Include.NON_NULL) @JsonProperty("continue") @Nullable String next) {
  public ServiceProfilesView {
    profiles = List.copyOf(profiles);
  }

  static ServiceProfilesView of(Page<Stored> page) {
    return new ServiceProfilesView(page.map(ServiceProfileView::of).entries(), page.next());
  }

  /**
   * One profile.
   *
   * @param namespace namespace of the pods that it applies to; null for all namespaces
   * @param kind {@code device} or {@code workload}
   * @param line of a profile file
   * @param by the authenticated caller who stored it
   * @param at when, ISO 8601 in UTC
   */
  public record ServiceProfileView(
      @JsonProperty("namespace") @Nullable String namespace,
      @JsonProperty("kind") String kind,
      @JsonProperty("name") String name,
      @JsonProperty("device") String device,
      @JsonProperty("line") String line,
      @JsonProperty("by") String by,
      @JsonProperty("at") String at) {
    private static ServiceProfileView of(Stored stored) {
      return new ServiceProfileView(
          stored.namespace().isEmpty() ? null : stored.namespace(),
          stored.kind(),
          stored.name(),
          stored.device(),
          stored.line(),
          stored.by(),
          stored.at().toString());
    }
  }

  /** How many profiles were deleted. */
  public record DeletedView(@JsonProperty("deleted") int deleted) {}
}
