package dev.cotenant.service.decisions;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decisions as they are shown. All methods throw {@link
 * dev.cotenant.engine.lifecycle.StoreException} where the database cannot be used.
 */
public interface DecisionStore {
  /**
   * A decision.
   *
   * @param pod namespace and name as far as there was one
   * @param gpus uuids that it grants, or that its first reasons are about
   * @param content the answer for callers who may read everything
   * @param ownContent the answer without names of pods in other namespaces
   */
  record Entry(
      Instant at,
      String namespace,
      String pod,
      List<String> gpus,
      String content,
      String ownContent) {
    public Entry {
      gpus = List.copyOf(gpus);
    }
  }

  /** A stored one with its number, which grows with time. */
  record Stored(long number, Entry entry) {}

  /**
   * Which are wanted.
   *
   * @param namespace of the pod; null for all
   * @param pod null for all
   * @param gpu that it names; null for all
   * @param below number that all are below
   */
  record Wanted(
      @Nullable String namespace, @Nullable String pod, @Nullable String gpu, long below) {}

  /** Stores all or none. */
  void add(List<Entry> entries);

  /** At most {@code limit} of the wanted, newest first; without their GPUs. */
  List<Stored> newest(Wanted wanted, int limit);

  /** Deletes those before an instant, and the oldest beyond a number. */
  void trim(Instant before, int most);
}
