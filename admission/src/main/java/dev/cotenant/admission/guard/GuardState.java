package dev.cotenant.admission.guard;

import dev.cotenant.admission.guard.Incident.Move;
import dev.cotenant.admission.guard.Streaks.Streak;
import dev.cotenant.admission.guard.Streaks.Watched;
import dev.cotenant.admission.policy.GuardRules.Mode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The guard: derives actions from measurements, limits and time. Immutable; the same inputs give
 * the same result.
 *
 * <p>A limit counts as exceeded after a policy's time of consecutive fresh samples that exceed it
 * by more than their noise, all beside the same pods; as kept again after equally long samples
 * within it. Each cause is reported once. An eviction is of the most recently granted pod, of the
 * victim's namespace alone, needs fresh samples when it is sent, and some minutes of a victim that
 * makes steps: one at a standstill may validate, store a checkpoint or hang.
 */
public final class GuardState {
  /** Older samples are not counted. */
  static final Duration FRESH = Duration.ofMinutes(2);

  /** Time without any sample after which a GPU is open again. */
  static final Duration LAPSE = Duration.ofMinutes(15);

  private final GuardNotes notes;
  private final Streaks streaks;

  /** Time of the first step; null before it. */
  private final @Nullable Instant since;

  GuardState(GuardNotes notes, Streaks streaks, @Nullable Instant since) {
    this.notes = notes;
    this.streaks = streaks;
    this.since = since;
  }

  /** With what an earlier leader noted. */
  public static GuardState of(GuardNotes notes) {
    return new GuardState(notes, Streaks.NONE, null);
  }

  /** What outlives the leader. */
  public GuardNotes notes() {
    return notes;
  }

  /** The same with other notes. */
  public GuardState with(GuardNotes other) {
    return new GuardState(other, streaks, since);
  }

  /**
   * A step.
   *
   * @param next the state afterwards
   * @param found new incidents, each once
   * @param planned standing incidents whose eviction is newly planned
   */
  public record Step(GuardState next, List<Incident> found, List<Incident> planned) {
    public Step {
      found = List.copyOf(found);
      planned = List.copyOf(planned);
    }
  }

  /**
   * Counts measurements, in a time linear in samples, their tenants and streaks.
   *
   * @param samples in any order; those of other pods than the tenants are dropped
   * @param tenants tenants of the samples' and all incidents' GPUs, by GPU uuid
   */
  public Step step(List<Sample> samples, Map<String, List<GuardedPod>> tenants, Instant now) {
    Instant begun = since == null ? now : since;
    Counting counting = new Counting(notes.at(now), streaks, tenants, now);
    counting.dropEnded();
    counting.count(samples);
    counting.open(begun);
    Streaks counted = counting.streaks();
    return new Step(
        new GuardState(counting.notes(), counted, begun), counting.found(), counting.planned());
  }

  /** Whether a step without samples could change anything. */
  public boolean isDue(Instant now) {
    return !notes.incidents().isEmpty() || notes.hasEnded(now);
  }

  /**
   * Whether an eviction is still right: fresh samples beyond the limit beside the same pods, for
   * the time of the policy, and policies and annotation allow it now.
   *
   * @param tenants of the GPU now
   */
  public boolean isConfirmed(Incident incident, List<GuardedPod> tenants, Instant now) {
    List<GuardedPod> there = running(tenants);
    @Nullable GuardedPod victim = find(there, incident.cause().victim());
    @Nullable GuardedPod newcomer = find(there, incident.cause().newcomer());
    @Nullable Streak streak =
        streaks.of(new Watched(incident.cause().victim(), incident.cause().signal()));
    return victim != null
        && newcomer != null
        && streak != null
        && streak.broken()
        && streak.moves(victim.rules().time())
        && !streak.last().isBefore(now.minus(FRESH))
        && streak.length().compareTo(victim.rules().time()) >= 0
        && streak.beside().equals(uids(there))
        && incident.isClosed()
        && mayMove(victim, newcomer);
  }

  /** A pod may state any speed and use any memory: it moves pods of its own namespace alone. */
  static boolean mayMove(GuardedPod victim, GuardedPod newcomer) {
    return victim.rules().mode() == Mode.ACT
        && newcomer.rules().mode() == Mode.ACT
        && newcomer.isMovable()
        && victim.namespace().equals(newcomer.namespace());
  }

  static @Nullable GuardedPod find(List<GuardedPod> there, String uid) {
    return there.stream().filter(one -> one.uid().equals(uid)).findFirst().orElse(null);
  }

  static List<GuardedPod> running(List<GuardedPod> tenants) {
    return tenants.stream().filter(GuardedPod::isRunning).toList();
  }

  static Set<String> uids(List<GuardedPod> there) {
    return there.stream().map(GuardedPod::uid).collect(Collectors.toSet());
  }

  /** Uuids of GPUs that take no further pods, with the time since when. */
  public Map<String, Instant> closed() {
    Map<String, Instant> closed = new TreeMap<>();
    for (Incident incident : notes.incidents()) {
      if (incident.isClosed()) {
        closed.merge(
            incident.gpu(), incident.at(), (one, other) -> one.isBefore(other) ? one : other);
      }
    }
    return closed;
  }

  /** Incidents with a planned eviction, while the limit is exceeded. */
  public List<Incident> planned() {
    return notes.incidents().stream()
        .filter(one -> one.isClosed() && one.move() == Move.PLANNED)
        .toList();
  }

  /** Uids of pods with incidents. */
  public Set<String> victims() {
    Set<String> uids = new TreeSet<>();
    notes.incidents().forEach(incident -> uids.add(incident.cause().victim()));
    return uids;
  }
}
