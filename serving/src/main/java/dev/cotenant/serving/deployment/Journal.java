package dev.cotenant.serving.deployment;

import dev.cotenant.domain.quantity.Share;
import dev.cotenant.serving.deployment.Deployment.Replica;
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
   * @param replica target partition that it was started for; empty for a stand-in
   * @param gpu where
   * @param service whose
   * @param share asked for last
   * @param batch asked for last
   * @param generation of that step
   * @param mostPermille the largest share that may be in force
   * @param progress how far it is known to be
   */
  public record Entry(
      String replica,
      String gpu,
      String service,
      Share share,
      int batch,
      long generation,
      int mostPermille,
      Progress progress) {
    boolean isEnding() {
      return progress == Progress.ENDING || progress == Progress.ENDING_UNSEEN;
    }

    boolean wasSeen() {
      return progress != Progress.ASKED && progress != Progress.ENDING_UNSEEN;
    }

    Entry at(Progress other) {
      return new Entry(replica, gpu, service, share, batch, generation, mostPermille, other);
    }

    Entry settled(Progress other) {
      return new Entry(replica, gpu, service, share, batch, generation, share.permille(), other);
    }

    Entry changedTo(Replica wanted) {
      int most = Math.max(mostPermille, wanted.share().permille());
      return new Entry(
          replica, gpu, service, wanted.share(), wanted.batch(), generation + 1, most, progress);
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
    /** Stop requested after it was seen: it has ended once it is no longer seen. */
    ENDING,
    /**
     * Stop requested before it was seen: it has ended once it is seen as ended, and may appear
     * late.
     */
    ENDING_UNSEEN
  }

  /** A journal of running processes. */
  public static Journal of(Deployment running) {
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
                  replica.share().permille(),
                  Progress.SERVING));
        });
    return new Journal(-1, 0, entries);
  }

  /** The journal after a snapshot of running processes; outdated snapshots are ignored. */
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
