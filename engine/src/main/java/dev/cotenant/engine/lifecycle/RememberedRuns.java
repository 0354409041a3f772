package dev.cotenant.engine.lifecycle;

import dev.cotenant.predictor.remember.MeasuredRun;
import dev.cotenant.predictor.remember.RunMemory;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * The measured runs of a store as a memory that predictions are answered from, without touching the
 * store. Whoever polls calls {@link #refresh}; while the store is down what was read last goes on.
 */
public final class RememberedRuns implements Supplier<RunMemory> {
  /*
   * Rows are numbered when they are inserted and seen when that is committed, which may be in another
   * order where several replicas write: so many below the highest are read again at every look.
   */
  private static final int OVERLAP = 50;

  private static final int PAGE = 2_000;

  /** Beyond this many the oldest are forgotten. */
  private static final int MOST = 50_000;

  /** How often old runs are looked for where none is new. */
  private static final Duration EXPIRY = Duration.ofHours(1);

  private final ProfileStore profiles;
  private final InstantSource clock;
  private final NavigableMap<Long, MeasuredRun> runs = new TreeMap<>();
  private volatile RunMemory memory = RunMemory.empty();
  private Instant madeAt = Instant.EPOCH;

  /** Remembers nothing yet. */
  public RememberedRuns(ProfileStore profiles, InstantSource clock) {
    this.profiles = profiles;
    this.clock = clock;
  }

  @Override
  public RunMemory get() {
    return memory;
  }

  /**
   * Takes in what is new in the store.
   *
   * @throws StoreException when the store cannot be reached; what was known stays so
   */
  public synchronized void refresh() {
    boolean changed = false;
    long after = runs.isEmpty() ? 0 : Math.max(0, runs.lastKey() - OVERLAP);
    List<StoredProfile> page;
    do {
      page = profiles.page(after, PAGE);
      for (StoredProfile profile : page) {
        MeasuredRun run = new MeasuredRun(profile.row(), profile.receivedAt());
        changed |= runs.put(profile.number(), run) == null;
        after = profile.number();
      }
    } while (page.size() == PAGE);
    Instant now = clock.instant();
    if (changed || now.isAfter(madeAt.plus(EXPIRY))) {
      while (runs.size() > MOST) {
        runs.pollFirstEntry();
      }
      memory = RunMemory.of(runs.values(), now);
      madeAt = now;
    }
  }
}
