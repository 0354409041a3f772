package dev.cotenant.service.evidence;

import java.util.List;
import java.util.Map;

/**
 * Counts by namespace and day. All methods throw {@link
 * dev.cotenant.engine.lifecycle.StoreException} where the database cannot be used.
 */
public interface EvidenceStore {
  /** What was counted where, on a day since 1970. */
  record Key(String namespace, Observed kind, long day) {}

  /** A count. */
  record Entry(Key key, long amount) {}

  /** Adds to counts, all or nothing. */
  void add(Map<Key, Long> counts);

  /** All counts. */
  List<Entry> all();

  /** Deletes counts of days before one. */
  void trim(long beforeDay);
}
