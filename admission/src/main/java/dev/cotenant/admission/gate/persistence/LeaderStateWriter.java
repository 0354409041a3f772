package dev.cotenant.admission.gate.persistence;

import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.port.GatePorts;
import dev.cotenant.admission.gate.state.Due;
import dev.cotenant.admission.gate.state.Term;
import dev.cotenant.admission.gate.state.TrackedPod;
import dev.cotenant.admission.guard.GuardNotes;
import dev.cotenant.admission.state.LeaderState;
import dev.cotenant.admission.state.LeaderState.MemoryShortage;
import dev.cotenant.admission.state.LeaderState.QueuePosition;
import dev.cotenant.admission.state.LeaderState.Resubmissions;
import dev.cotenant.admission.state.LeaderStateStore;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.workload.Workload;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Persists leader state after changes, at most every few seconds: the last queue positions may be
 * lost. Urgent changes run a callback after the write.
 */
public final class LeaderStateWriter {
  private static final Duration EVERY = Duration.ofSeconds(5);

  /** Out-of-memory failures of an owner are forgotten after this time. */
  private static final Duration REMEMBERED = Duration.ofDays(1);

  private final GatePorts ports;
  private final Term term;
  private final Executor inTerm;
  private final Map<WorkloadOnDevice, MemoryShortage> shortages = new HashMap<>();
  private final Map<String, Resubmissions> resubmitted = new HashMap<>();
  private final Set<String> noticed = new TreeSet<>();
  private final RecordedGrants grants;
  private GuardNotes guard = GuardNotes.NONE;
  private final List<Runnable> waiting = new ArrayList<>();
  private Map<String, QueuePosition> positions = Map.of();
  private LeaderState written = LeaderState.NONE;
  private Instant nextAt = Instant.MIN;
  private boolean urgent;
  private boolean inFlight;

  /** A workload with an out-of-memory failure on a device. */
  private record WorkloadOnDevice(String namespace, Workload workload, DeviceId device) {
    static WorkloadOnDevice of(MemoryShortage shortage) {
      return new WorkloadOnDevice(shortage.namespace(), shortage.workload(), shortage.device());
    }
  }

  public LeaderStateWriter(GatePorts ports, Term term, Executor inTerm) {
    this.ports = ports;
    this.term = term;
    this.inTerm = inTerm;
    grants = new RecordedGrants(ports.optedIn(), term);
  }

  /** Starts from the state of earlier leaders; before pods are listed. */
  public void open(LeaderState state) {
    written = state;
    positions = state.queue();
    resubmitted.putAll(state.resubmitted());
    noticed.addAll(state.noticed());
    guard = state.guard();
    grants.open(state.grants());
    for (MemoryShortage shortage : state.shortages()) {
      shortages.put(WorkloadOnDevice.of(shortage), shortage);
    }
    ports.corrections().replaceAll(state.shortages());
  }

  /** Whether earlier leaders granted a pod what its annotations say. */
  public boolean isRecorded(WatchedPod pod) {
    return grants.has(pod);
  }

  /** Restores the queue position of a pod. */
  public void restore(TrackedPod pod) {
    QueuePosition position = positions.get(pod.uid());
    if (position != null) {
      pod.waiting().resume(position);
    }
  }

  /** Whether an earlier leader handled the pod's out-of-memory failure. */
  public boolean isNoticed(String uid) {
    return noticed.contains(uid);
  }

  public void noticed(String uid) {
    noticed.add(uid);
    urgent = true;
  }

  /** Records that a workload ran out of memory. */
  public void ranOut(MemoryShortage shortage) {
    shortages.merge(WorkloadOnDevice.of(shortage), shortage, MemoryShortage::and);
    ports.corrections().ranOut(shortage);
    urgent = true;
  }

  /** The out-of-memory failures that count, the newest first. */
  public List<MemoryShortage> shortages() {
    Instant now = ports.clock().instant();
    return shortages.values().stream()
        .filter(shortage -> !shortage.isOver(now))
        .sorted(Comparator.comparing(MemoryShortage::lastAt).reversed())
        .toList();
  }

  /**
   * Forgets the out-of-memory failures of a namespace.
   *
   * @param model of these alone; null for all
   * @param persisted runs once no later leader knows them
   * @return how many configurations had any
   */
  public int forget(String namespace, @Nullable String model, Runnable persisted) {
    int before = shortages.size();
    shortages
        .keySet()
        .removeIf(one ->
            one.namespace().equals(namespace)
                && (model == null || one.workload().model().equals(model)));
    ports.corrections().replaceAll(shortages.values());
    flush(persisted);
    return before - shortages.size();
  }

  /** The pods of an owner that were deleted after out-of-memory failures. */
  public Optional<Resubmissions> resubmitted(String owner, Instant now) {
    return Optional.ofNullable(resubmitted.get(owner))
        .filter(deletions -> now.isBefore(deletions.lastAt().plus(REMEMBERED)));
  }

  /** Counts a deletion; it runs once the count is persisted. */
  public void resubmits(String owner, Instant now, Runnable delete) {
    int before = resubmitted(owner, now).map(Resubmissions::times).orElse(0);
    resubmitted.put(owner, new Resubmissions(before + 1, now));
    waiting.add(delete);
    urgent = true;
  }

  /** What the guard of earlier leaders has done, and this one's. */
  public GuardNotes guard() {
    return guard;
  }

  /** Records the guard's notes; the task runs once they are persisted. */
  public void guard(GuardNotes notes, Runnable persisted) {
    guard = notes;
    waiting.add(persisted);
    urgent = true;
  }

  /** Records expired guard notes, with the next write. */
  public void guard(GuardNotes notes) {
    guard = notes;
  }

  /** Writes changes as soon as possible; {@code persisted} runs once nothing is left. */
  public void flush(Runnable persisted) {
    waiting.add(persisted);
    urgent = true;
  }

  /** Writes changes, if a write is due. */
  public void write(Instant now, Due due) {
    if (inFlight || (!urgent && now.isBefore(nextAt))) {
      due.at(inFlight ? null : nextAt);
      return;
    }
    LeaderState state = state(now);
    if (state.equals(written)) {
      urgent = false;
      runWaiting();
      return;
    }
    inFlight = true;
    urgent = false;
    nextAt = now.plus(EVERY);
    int callbacks = waiting.size();
    ports
        .state()
        .save(term.number(), state, done -> inTerm.execute(() -> written(state, callbacks, done)));
  }

  private void written(LeaderState state, int callbacks, LeaderStateStore.Result outcome) {
    inFlight = false;
    switch (outcome) {
      case LeaderStateStore.Result.Persisted _ -> {
        written = state;
        List<Runnable> done = List.copyOf(waiting.subList(0, callbacks));
        waiting.subList(0, callbacks).clear();
        done.forEach(Runnable::run);
      }
      case LeaderStateStore.Result.Rejected(String why) -> ports.listener().stateNotWritten(why);
      case LeaderStateStore.Result.Uncertain(String why) -> ports.listener().stateNotWritten(why);
    }
  }

  private void runWaiting() {
    List<Runnable> all = List.copyOf(waiting);
    waiting.clear();
    all.forEach(Runnable::run);
  }

  private LeaderState state(Instant now) {
    noticed.removeIf(uid -> term.pods().find(uid) == null);
    resubmitted.values().removeIf(deletions -> !now.isBefore(deletions.lastAt().plus(REMEMBERED)));
    Map<String, QueuePosition> queue = new HashMap<>();
    for (TrackedPod pod : term.pods().gated()) {
      pod.waiting().position().ifPresent(position -> queue.put(pod.uid(), position));
    }
    shortages.values().removeIf(shortage -> shortage.isOver(now));
    LeaderState state =
        new LeaderState(
            queue, List.copyOf(shortages.values()), resubmitted, noticed, guard, grants.digests());
    shortages.values().retainAll(state.shortages());
    return state;
  }
}
