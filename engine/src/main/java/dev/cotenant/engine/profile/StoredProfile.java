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
 * @param namespace whose predictions alone it moves; {@link ProfileStore#SHARED} for all
 */
public record StoredProfile(
    long number, String contentHash, ProfileRow row, Instant receivedAt, String namespace) {
  /** Between the caller and the words of the caller in a source. */
  private static final String ORIGIN_END = ": ";

  /** One row in this many is never trained on: versions are compared on these. */
  private static final int HELD_OUT_ONE_IN = 4;

  /** A row's source with the authenticated caller as its origin, and its own words after that. */
  public static String source(String caller, String words) {
    return caller + ORIGIN_END + words;
  }

  /**
   * Who says so, as the measured-run cache counts sources: the namespace, or the caller that added
   * a shared row.
   */
  public String origin() {
    return namespace.equals(ProfileStore.SHARED) ? row.source().split(ORIGIN_END, 2)[0] : namespace;
  }

  /**
   * Whether no training sees it. It follows from the content alone, so that a row held out once is
   * held out from every version ever trained on this store.
   */
  public boolean isHeldOut() {
    return Integer.parseInt(contentHash.substring(0, 6), 16) % HELD_OUT_ONE_IN == 0;
  }
}
