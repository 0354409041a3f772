package dev.cotenant.admission.gate;

import dev.cotenant.admission.state.LeaderState;
import dev.cotenant.admission.state.LeaderState.MemoryShortage;
import dev.cotenant.admission.state.LeaderState.QueuePosition;
import dev.cotenant.admission.state.LeaderState.Resubmissions;
import dev.cotenant.admission.state.LeaderStateStore;
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
 * Persists leader state after changes, at most every few seconds: the last queue positions may be
 * lost. Urgent changes run a callback after the write.
 */
final class LeaderStateWriter {
  private static final Duration EVERY = Duration.ofSeconds(5);

  /** Out-of-memory failures of an owner are forgotten after this time. */
  private static final Duration FORGIVEN = Duration.ofDays(1);

  private final GatePorts ports;
  private final Term term;
  private final Executor inTerm;
  private final Map<Which, MemoryShortage> shortages = new HashMap<>();
  private final Map<String, Resubmissions> resubmitted = new HashMap<>();
  private final Set<String> noticed = new TreeSet<>();
  private final List<Runnable> waiting = new ArrayList<>();
  private Map<String, QueuePosition> marks = Map.of();
  private LeaderState written = LeaderState.NONE;
  private Instant nextAt = Instant.MIN;
  private boolean urgent;
  private boolean underWay;

  /** A workload that ran out of memory on a device. */
  private record Which(Workload workload, DeviceId device) {}

  LeaderStateWriter(GatePorts ports, Term term, Executor inTerm) {
    this.ports = ports;
    this.term = term;
    this.inTerm = inTerm;
  }

  /** Starts from the state of earlier leaders; before pods are listed. */
  void open(LeaderState notes) {
    written = notes;
    marks = notes.queue();
    resubmitted.putAll(notes.resubmitted());
    noticed.addAll(notes.noticed());
    for (MemoryShortage shortage : notes.shortages()) {
      shortages.put(new Which(shortage.workload(), shortage.device()), shortage);
      ports.corrections().ranOut(shortage.workload(), shortage.device(), shortage.atLeast());
    }
  }

  /** Restores the queue position of a pod. */
  void place(TrackedPod pod) {
    QueuePosition mark = marks.get(pod.uid());
    if (mark != null) {
      pod.resume(mark);
    }
  }

  /** Whether an earlier leader handled the pod's out-of-memory failure. */
  boolean isNoticed(String uid) {
    return noticed.contains(uid);
  }

  void noticed(String uid) {
    noticed.add(uid);
    urgent = true;
  }

  /** Records that a workload ran out of memory. */
  void ranOut(Workload workload, DeviceId device, MemorySize atLeast) {
    shortages.merge(
        new Which(workload, device),
        new MemoryShortage(workload, device, atLeast, 1, ports.clock().instant()),
        (before, now) ->
            new MemoryShortage(
                workload,
                device,
                before.atLeast().max(now.atLeast()),
                before.times() + 1,
                now.lastAt()));
    ports.corrections().ranOut(workload, device, atLeast);
    urgent = true;
  }

  /** The pods of an owner that were deleted after out-of-memory failures. */
  Optional<Resubmissions> resubmitted(String owner, Instant now) {
    return Optional.ofNullable(resubmitted.get(owner))
        .filter(one -> now.isBefore(one.lastAt().plus(FORGIVEN)));
  }

  /** Counts a deletion; it runs once the count is persisted. */
  void resubmits(String owner, Instant now, Runnable delete) {
    int before = resubmitted(owner, now).map(Resubmissions::times).orElse(0);
    resubmitted.put(owner, new Resubmissions(before + 1, now));
    waiting.add(delete);
    urgent = true;
  }

  /** Writes changes as soon as possible; {@code persisted} runs once nothing is left. */
  void flush(Runnable noted) {
    waiting.add(noted);
    urgent = true;
  }

  /** Writes changes, if a write is due. */
  void write(Instant now, Due due) {
    if (underWay || (!urgent && now.isBefore(nextAt))) {
      due.at(underWay ? null : nextAt);
      return;
    }
    LeaderState notes = notes(now);
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
        .state()
        .save(term.number, notes, done -> inTerm.execute(() -> written(notes, told, done)));
  }

  private void written(LeaderState notes, int told, LeaderStateStore.Result outcome) {
    underWay = false;
    if (outcome instanceof LeaderStateStore.Result.Persisted) {
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

  private LeaderState notes(Instant now) {
    noticed.removeIf(uid -> term.find(uid) == null);
    resubmitted.values().removeIf(one -> !now.isBefore(one.lastAt().plus(FORGIVEN)));
    Map<String, QueuePosition> queue = new HashMap<>();
    for (TrackedPod pod : term.held.values()) {
      pod.mark().ifPresent(mark -> queue.put(pod.uid(), mark));
    }
    return new LeaderState(queue, List.copyOf(shortages.values()), resubmitted, noticed);
  }
}
