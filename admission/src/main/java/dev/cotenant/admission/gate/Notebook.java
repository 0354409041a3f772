package dev.cotenant.admission.gate;

import dev.cotenant.admission.gate.ClusterWriter.Written;
import dev.cotenant.admission.gate.Notes.Mark;
import dev.cotenant.admission.gate.Notes.Resubmitted;
import dev.cotenant.admission.gate.Notes.Shortage;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.workload.Workload;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executor;

/**
 * Notes for the next leader, written whenever they have changed, but not all the time: of the queue
 * the last few seconds may be lost. What must not be lost asks to be told when it is written.
 */
final class Notebook {
  private static final Duration EVERY = Duration.ofSeconds(5);

  /** After so long nothing is held against an owner any more. */
  private static final Duration FORGIVEN = Duration.ofDays(1);

  private final GatePorts ports;
  private final Term term;
  private final Executor inTerm;
  private final Map<Which, Shortage> shortages = new HashMap<>();
  private final Map<String, Resubmitted> resubmitted = new HashMap<>();
  private final Set<String> noticed = new TreeSet<>();
  private final List<Runnable> waiting = new ArrayList<>();
  private Map<String, Mark> marks = Map.of();
  private Notes written = Notes.NONE;
  private Instant nextAt = Instant.MIN;
  private boolean urgent;
  private boolean underWay;

  /** Which workload ran out of memory, and on which product. */
  private record Which(Workload workload, DeviceId device) {}

  Notebook(GatePorts ports, Term term, Executor inTerm) {
    this.ports = ports;
    this.term = term;
    this.inTerm = inTerm;
  }

  /** Goes on with what earlier leaders noted; before pods are listed. */
  void open(Notes notes) {
    written = notes;
    marks = notes.queue();
    resubmitted.putAll(notes.resubmitted());
    noticed.addAll(notes.noticed());
    for (Shortage shortage : notes.shortages()) {
      shortages.put(new Which(shortage.workload(), shortage.device()), shortage);
      ports.corrections().ranOut(shortage.workload(), shortage.device(), shortage.atLeast());
    }
  }

  /** A pod that was there when the term began stands where it stood. */
  void place(TrackedPod pod) {
    Mark mark = marks.get(pod.uid());
    if (mark != null) {
      pod.resume(mark);
    }
  }

  /** Whether an earlier leader dealt with a pod that ran out of memory. */
  boolean isNoticed(String uid) {
    return noticed.contains(uid);
  }

  void noticed(String uid) {
    noticed.add(uid);
    urgent = true;
  }

  /** A workload was not granted enough. */
  void ranOut(Workload workload, DeviceId device, MemorySize atLeast) {
    shortages.merge(
        new Which(workload, device),
        new Shortage(workload, device, atLeast, 1, ports.clock().instant()),
        (before, now) ->
            new Shortage(
                workload,
                device,
                before.atLeast().max(now.atLeast()),
                before.times() + 1,
                now.lastAt()));
    ports.corrections().ranOut(workload, device, atLeast);
    urgent = true;
  }

  /** How often pods of an owner were deleted for having run out of memory. */
  Optional<Resubmitted> resubmitted(String owner, Instant now) {
    return Optional.ofNullable(resubmitted.get(owner))
        .filter(one -> now.isBefore(one.lastAt().plus(FORGIVEN)));
  }

  /** One more is to be deleted, as soon as that is noted. */
  void resubmits(String owner, Instant now, Runnable delete) {
    int before = resubmitted(owner, now).map(Resubmitted::times).orElse(0);
    resubmitted.put(owner, new Resubmitted(before + 1, now));
    waiting.add(delete);
    urgent = true;
  }

  /** Writes what has changed as soon as possible; {@code noted} is run once nothing is left. */
  void flush(Runnable noted) {
    waiting.add(noted);
    urgent = true;
  }

  /** Writes what has changed, if it is time. */
  void write(Instant now, Due due) {
    if (underWay || (!urgent && now.isBefore(nextAt))) {
      due.at(underWay ? null : nextAt);
      return;
    }
    Notes notes = notes(now);
    if (notes.equals(written)) {
      urgent = false;
      runWaiting();
      return;
    }
    underWay = true;
    urgent = false;
    nextAt = now.plus(EVERY);
    int told = waiting.size();
    ports
        .cluster()
        .keep(term.number, notes, done -> inTerm.execute(() -> written(notes, told, done)));
  }

  private void written(Notes notes, int told, Written outcome) {
    underWay = false;
    if (outcome instanceof Written.Done) {
      written = notes;
      List<Runnable> kept = List.copyOf(waiting.subList(0, told));
      waiting.subList(0, told).clear();
      kept.forEach(Runnable::run);
    }
  }

  private void runWaiting() {
    List<Runnable> all = List.copyOf(waiting);
    waiting.clear();
    all.forEach(Runnable::run);
  }

  private Notes notes(Instant now) {
    noticed.removeIf(uid -> term.find(uid) == null);
    resubmitted.values().removeIf(one -> !now.isBefore(one.lastAt().plus(FORGIVEN)));
    Map<String, Mark> queue = new HashMap<>();
    for (TrackedPod pod : term.held.values()) {
      pod.mark().ifPresent(mark -> queue.put(pod.uid(), mark));
    }
    return new Notes(queue, List.copyOf(shortages.values()), resubmitted, noticed);
  }
}
