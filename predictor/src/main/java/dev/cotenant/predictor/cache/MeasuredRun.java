package dev.cotenant.predictor.cache;

import dev.cotenant.domain.profile.ProfileRow;
import java.time.Instant;

/**
 * A run that was measured alone.
 *
 * @param at when that became known
 * @param namespace the only namespace whose predictions it changes; empty for the shared scope,
 *     whose rows only an operator may add
 * @param source origin of the report; empty if it cannot be invented, as in a recording. All runs
 *     of a source count as one opinion
 */
public record MeasuredRun(ProfileRow row, Instant at, String namespace, String source) {
  /** Of the shared scope, and of no source that could invent it. */
  public MeasuredRun(ProfileRow row, Instant at) {
    this(row, at, "", "");
  }

  Configuration configuration() {
    return new Configuration(row.features(), row.settings(), row.device());
  }
}
