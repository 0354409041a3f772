package dev.cotenant.engine.profile;

import dev.cotenant.domain.profile.ProfileRow;
import java.time.Instant;

/**
 * A measured run in the store.
 *
 * @param number 1, 2, … in the order of arrival, with gaps
 * @param contentHash what makes it unique, see {@link ProfileFields#contentHash}
 * @param row the run
 * @param receivedAt when it came
 */
public record StoredProfile(long number, String contentHash, ProfileRow row, Instant receivedAt) {
  /** One row in this many is never trained on: versions are compared on these. */
  private static final int HELD_OUT_ONE_IN = 4;

  /**
   * Whether no training sees it. It follows from the content alone, so that a row held out once is
   * held out from every version ever trained on this store.
   */
  public boolean isHeldOut() {
    return Integer.parseInt(contentHash.substring(0, 6), 16) % HELD_OUT_ONE_IN == 0;
  }
}
