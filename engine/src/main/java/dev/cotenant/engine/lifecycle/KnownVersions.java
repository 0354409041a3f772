package dev.cotenant.engine.lifecycle;

import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Versions and promotions of a store, with the last read content while the store is down.
 *
 * <p>Once a read has failed, callers do not wait for the store before {@link #refresh} has read it.
 * Thread safe.
 */
public final class KnownVersions {
  private final VersionStore versions;
  private final InstantSource clock;
  private volatile Listing known = new Listing(List.of(), List.of(), null, false);

  /**
   * What is known.
   *
   * @param versions oldest first
   * @param promotions oldest first
   * @param readAt when the store said so; null where it was never read
   * @param current whether it was read for this answer
   */
  public record Listing(
      List<ModelVersion> versions,
      List<Promotion> promotions,
      @Nullable Instant readAt,
      boolean current) {
    public Listing {
      versions = List.copyOf(versions);
      promotions = List.copyOf(promotions);
    }

    private Listing asOld() {
      return new Listing(versions, promotions, readAt, false);
    }
  }

  /** Reads nothing yet. */
  public KnownVersions(VersionStore versions, InstantSource clock) {
    this.versions = versions;
    this.clock = clock;
  }

  /** The store's content; while it is down, the last read content. */
  public Listing listing() {
    Listing before = known;
    if (!before.current) {
      return before;
    }
    try {
      return read();
    } catch (StoreException e) {
      Listing old = before.asOld();
      known = old;
      return old;
    }
  }

  /**
   * Reads the store, whatever came of the last time.
   *
   * @throws StoreException when the store cannot be reached
   */
  public void refresh() {
    read();
  }

  private Listing read() {
    Listing read = new Listing(versions.all(), versions.promotions(), clock.instant(), true);
    known = read;
    return read;
  }
}
