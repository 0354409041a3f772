package dev.cotenant.engine.profile;

import dev.cotenant.predictor.cache.MeasuredRun;
import dev.cotenant.predictor.cache.MeasuredRunCache;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * The measured runs of a store, held in memory. A poller calls {@link #refresh}; while the store is
 * down the last runs stay.
 */
public final class StoredRuns implements Supplier<MeasuredRunCache> {
  /*
   * Rows are numbered when they are inserted and seen when that is committed, which may be in another
   * order where several replicas write. A few below the highest are read again at every look. When
   * the store then still holds another number of rows than is known of, all are read again: one
   * transaction may bring thousands.
   */
  private static final int OVERLAP = 50;

  private static final int PAGE = 2_000;

  /** Beyond this many the oldest are forgotten. */
  private static final int MAX_RUNS = 50_000;

  /** How often old runs are looked for where none is new. */
  private static final Duration EXPIRY = Duration.ofHours(1);

  private final ProfileStore profiles;
  private final InstantSource clock;
  private volatile MeasuredRunCache memory = MeasuredRunCache.empty();
  private NewestRuns held = new NewestRuns(0);
  private Instant madeAt = Instant.EPOCH;
  private boolean isOutdated;

  /** The newest runs, by number. */
  private static final class NewestRuns {
    private final NavigableMap<Long, MeasuredRun> runs = new TreeMap<>();

    /** Highest forgotten number; rows up to it are not read again. */
    private long forgotten;

    /** Rows of the store that are not held: forgotten, or unreadable. */
    private long elsewhere;

    NewestRuns(long forgotten) {
      this.forgotten = forgotten;
    }

    /** Takes in what has a higher number than that, and says whether anything was new. */
    boolean read(ProfileStore profiles, long number) {
      boolean isNew = false;
      long after = Math.max(forgotten, number);
      List<StoredProfile> page;
      do {
        page = profiles.page(after, PAGE);
        for (StoredProfile profile : page) {
          MeasuredRun run =
              new MeasuredRun(
                  profile.row(), profile.receivedAt(), profile.namespace(), profile.origin());
          isNew |= runs.put(profile.number(), run) == null;
          after = profile.number();
        }
        trim();
      } while (page.size() == PAGE);
      return isNew;
    }

    private void trim() {
      while (runs.size() > MAX_RUNS) {
        forgotten = runs.pollFirstEntry().getKey();
        elsewhere++;
      }
    }

    long highest() {
      return runs.isEmpty() ? 0 : runs.lastKey();
    }

    long known() {
      return runs.size() + elsewhere;
    }
  }

  /** Remembers nothing yet. */
  public StoredRuns(ProfileStore profiles, InstantSource clock) {
    this.profiles = profiles;
    this.clock = clock;
  }

  @Override
  public MeasuredRunCache get() {
    return memory;
  }

  /**
   * Lets the next {@link #refresh} read every row again: rows may be readable that were not, and
   * the reverse.
   */
  public synchronized void outdate() {
    isOutdated = true;
  }

  /**
   * Reads new rows from the store.
   *
   * @throws dev.cotenant.engine.lifecycle.StoreException where the store cannot be reached; the
   *     last runs stay
   */
  public synchronized void refresh() {
    boolean isChanged = held.read(profiles, held.highest() - OVERLAP);
    long count = profiles.count();
    if (isOutdated || count != held.known()) {
      isChanged |= readAgain(count) || isOutdated;
      isOutdated = false;
    }
    Instant now = clock.instant();
    if (isChanged || now.isAfter(madeAt.plus(EXPIRY))) {
      memory = MeasuredRunCache.of(held.runs.values(), now);
      madeAt = now;
    }
  }

  private boolean readAgain(long count) {
    NewestRuns all = new NewestRuns(held.forgotten);
    all.read(profiles, 0);
    all.elsewhere = count - all.runs.size();
    boolean isChanged = !all.runs.keySet().equals(held.runs.keySet());
    held = all;
    return isChanged;
  }
}
