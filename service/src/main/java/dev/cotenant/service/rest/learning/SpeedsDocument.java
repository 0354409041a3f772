package dev.cotenant.service.rest.learning;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Measured speeds of pods of one namespace.
 *
 * @param namespace of the pods
 * @param speeds one for each pod
 */
record SpeedsDocument(
    @JsonProperty("namespace") @Nullable String namespace,
    @JsonProperty("speeds") @Nullable List<@Nullable SpeedDocument> speeds) {
  /**
   * A speed.
   *
   * @param pod its name
   * @param speed steps or samples per second
   */
  record SpeedDocument(
      @JsonProperty("pod") @Nullable String pod, @JsonProperty("speed") @Nullable Double speed) {}
}
