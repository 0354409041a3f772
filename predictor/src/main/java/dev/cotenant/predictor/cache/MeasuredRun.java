package dev.cotenant.predictor.cache;

import dev.cotenant.domain.profile.ProfileRow;
import java.time.Instant;

/**
 * A run that was measured alone.
 *
 * @param at when that became known
 */
public record MeasuredRun(ProfileRow row, Instant at) {
  Configuration configuration() {
    return new Configuration(row.features(), row.settings(), row.device());
  }
}
