package dev.cotenant.predictor.cache;

import dev.cotenant.domain.profile.ProfileRow;
import java.time.Instant;

/**
 * A run that was measured alone.
 *
 * @param at when that became known
 * @param namespace of which alone it moves predictions; empty for the shared scope, whose rows only
 *     an operator may add
 * @param source who says so; empty where nobody could invent it, as of a recording. The runs of one
 *     source together are one opinion beside those of others
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
