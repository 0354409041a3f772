package dev.cotenant.service.rest.serving;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.engine.serving.ServiceProfileStore.Stored;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Stored profiles, by namespace, kind, name and device. */
public record ServiceProfilesView(@JsonProperty("profiles") List<ProfileView> profiles) {
  public ServiceProfilesView {
    profiles = List.copyOf(profiles);
  }

  static ServiceProfilesView of(List<Stored> stored) {
    return new ServiceProfilesView(stored.stream().map(ProfileView::of).toList());
  }

  /**
   * One profile.
   *
   * @param namespace whose pods it counts for; null for those of all namespaces
   * @param kind {@code device} or {@code workload}
   * @param line of a profile file
   * @param by the authenticated caller who stored it
   * @param at when, RFC 3339
   */
  public record ProfileView(
      @JsonProperty("namespace") @Nullable String namespace,
      @JsonProperty("kind") String kind,
      @JsonProperty("name") String name,
      @JsonProperty("device") String device,
      @JsonProperty("line") String line,
      @JsonProperty("by") String by,
      @JsonProperty("at") String at) {
    private static ProfileView of(Stored stored) {
      return new ProfileView(
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
