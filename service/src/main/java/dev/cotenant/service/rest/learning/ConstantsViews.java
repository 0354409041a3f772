package dev.cotenant.service.rest.learning;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonRawValue;
import dev.cotenant.engine.serving.ServingVersion;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** Constants of servers of language models as REST shows them. */
final class ConstantsViews {
  private ConstantsViews() {}

  /**
   * Constants that came in force.
   *
   * @param constants bytes by name; absent for the shipped ones
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record ConstantsVersionView(
      @JsonProperty("number") long number,
      @JsonProperty("at") String at,
      @JsonProperty("by") String by,
      @JsonProperty("grounds") String grounds,
      @JsonProperty("starts") int starts,
      @Schema(type = SchemaType.OBJECT) @JsonRawValue @JsonProperty("constants")
          @Nullable String constants,
      @JsonProperty("reason") String reason) {
    static ConstantsVersionView of(ServingVersion version) {
      return new ConstantsVersionView(
          version.number(),
          version.at().toString(),
          version.by(),
          version.grounds().name().toLowerCase(Locale.ROOT),
          version.starts(),
          version.constants(),
          version.reason());
    }
  }

  /**
   * One release of vLLM in one namespace.
   *
   * @param inForce {@code learnt} or {@code shipped}
   * @param versions oldest first; the last is in force
   */
  record ConstantsReleaseView(
      @JsonProperty("namespace") String namespace,
      @JsonProperty("engine_version") String release,
      @JsonProperty("in_force") String inForce,
      @JsonProperty("versions") List<ConstantsVersionView> versions) {
    ConstantsReleaseView {
      versions = List.copyOf(versions);
    }

    static List<ConstantsReleaseView> of(
        String namespace, Map<String, List<ServingVersion>> byRelease) {
      return byRelease.entrySet().stream()
          .map(entry ->
              new ConstantsReleaseView(
                  namespace,
                  entry.getKey(),
                  entry.getValue().getLast().constants() == null ? "shipped" : "learnt",
                  entry.getValue().stream().map(ConstantsVersionView::of).toList()))
          .toList();
    }
  }

  /** All that is known. */
  record ConstantsView(
      @JsonProperty("releases") List<ConstantsReleaseView> releases,
      @JsonInclude(JsonInclude.Include.NON_NULL) @JsonProperty("continue") @Nullable String next) {
    ConstantsView {
      releases = List.copyOf(releases);
    }
  }
}
