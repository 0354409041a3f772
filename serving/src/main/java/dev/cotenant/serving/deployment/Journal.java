package dev.cotenant.serving.deployment;

import dev.cotenant.domain.quantity.Share;
import dev.cotenant.serving.deployment.FleetTarget.Replica;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What was asked of an executor and is not known to have ended: written down before a step is sent,
 * so that a restart neither forgets a process nor starts one twice.
 *
 * @param sequence of the last instant seen
 * @param created how many processes had an id so far
 * @param entries by id of the process
 */
public record Journal(long sequence, long created, SortedMap<String, Entry> entries) {
  /** Nothing was asked. */
  public static final Journal EMPTY = new Journal(-1, 0, new TreeMap<>());

  public Journal {
    entries = Collections.unmodifiableSortedMap(new TreeMap<>(entries));
  }

  /**
   * A process.
   *
   * @param replica of the target that it was started for; empty for one that stands in
   * @param gpu where
   * @param service whose
   * @param share asked for last
   * @param batch asked for last
   * @param generation of that step
   * @param most the largest share that may be in force
   * @param progress how far it is known to be
   */
  public record Entry(
      String replica,
      String gpu,
      String service,
      Share share,
      int batch,
      long generation,
      Share most,
      Progress progress) {
    boolean isEnding() {
      return progress == Progress.ENDING || progress == Progress.ENDING_UNSEEN;
    }

    boolean wasSeen() {
      return progress != Progress.ASKED && progress != Progress.ENDING_UNSEEN;
    }

    Entry at(Progress other) {
      return new Entry(replica, gpu, service, share, batch, generation, most, other);
    }

    Entry settled(Progress other) {
      return new Entry(replica, gpu, service, share, batch, generation, share, other);
    }

    Entry changedTo(Replica wanted) {
      Share larger = most.compareTo(wanted.share()) >= 0 ? most : wanted.share();
      return new Entry(
          replica, gpu, service, wanted.share(), wanted.batch(), generation + 1, larger, progress);
    }

    boolean isAs(Replica wanted) {
      return share.equals(wanted.share()) && batch == wanted.batch();
    }
  }

  /** How far a process is known to be. */
  public enum Progress {
    /** Asked for and never seen. */
    ASKED,
    /** Seen, and not ready or not at its last generation. */
    CHANGING,
    /** Serves as asked for last. */
    SERVING,
    /** Serves, and not as asked for last. */
    SERVING_OTHERWISE,
    /** Asked to end; it was seen before, so that it ended when it is no longer seen. */
    ENDING,
    /** Asked to end before it was seen: it ended when it is seen as ended, and may come late. */
    ENDING_UNSEEN
  }

  /** What runs already, as a journal would have it. */
  public static Journal of(FleetTarget running) {
    SortedMap<String, Entry> entries = new TreeMap<>();
    running
        .replicas()
        .forEach((id, placed) -> {
          Replica replica = placed.replica();
          entries.put(
              id,
              new Entry(
                  id,
                  placed.gpu(),
                  replica.service(),
                  replica.share(),
                  replica.batch(),
                  0,
                  replica.share(),
                  Progress.SERVING));
        });
    return new Journal(-1, 0, entries);
  }

  /** The same after an instant was seen; one that is older changes nothing. */
  Journal after(Seen seen) {
    if (seen.sequence() <= sequence) {
      return this;
    }
    SortedMap<String, Entry> next = new TreeMap<>();
    entries.forEach((id, entry) -> {
      Seen.Running process = seen.processes().get(id);
      if (process == null) {
        if (!entry.wasSeen()) {
          next.put(id, entry);
        }
      } else if (process.phase() != Seen.Phase.ENDED) {
        next.put(id, after(entry, process));
      }
    });
    return new Journal(seen.sequence(), created, next);
  }

  private static Entry after(Entry entry, Seen.Running process) {
    if (entry.isEnding()) {
      return entry.at(Progress.ENDING);
    }
    boolean isReady = process.phase() == Seen.Phase.READY;
    if (process.generation() < entry.generation()) {
      return entry.at(isReady ? Progress.SERVING_OTHERWISE : Progress.CHANGING);
    }
    return entry.settled(isReady ? Progress.SERVING : Progress.CHANGING);
  }
}
