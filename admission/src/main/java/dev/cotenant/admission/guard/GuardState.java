package dev.cotenant.admission.guard;

import dev.cotenant.admission.guard.GuardNotes.Eviction;
import dev.cotenant.admission.guard.GuardNotes.Pair;
import dev.cotenant.admission.guard.Incident.Cause;
import dev.cotenant.admission.guard.Incident.Move;
import dev.cotenant.admission.guard.Streaks.Streak;
import dev.cotenant.admission.guard.Streaks.Watched;
import dev.cotenant.admission.policy.GuardRules;
import dev.cotenant.admission.policy.GuardRules.Mode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The guard: from measurements, promises and the time follows what is to be done. Immutable; the
 * same inputs give the same result.
 *
 * <p>A promise counts as broken once fresh samples beyond it by more than their noise follow each
 * other for the time of the policy, all beside the same pods; as kept again once samples within it
 * do. What follows is decided once for each cause. Whoever came last is who would move.
 */
public final class GuardState {
  /** Older samples are not counted. */
  static final Duration FRESH = Duration.ofMinutes(2);

  private final GuardNotes notes;
  private final Streaks streaks;

  private GuardState(GuardNotes notes, Streaks streaks) {
    this.notes = notes;
    this.streaks = streaks;
  }

  /** With what an earlier leader noted. */
  public static GuardState of(GuardNotes notes) {
    return new GuardState(notes, Streaks.NONE);
  }

  /** What outlives the leader. */
  public GuardNotes notes() {
    return notes;
  }

  /** The same with other notes. */
  public GuardState with(GuardNotes other) {
    return new GuardState(other, streaks);
  }

  /**
   * A step.
   *
   * @param next the state afterwards
   * @param found new incidents, each once
   */
  public record Step(GuardState next, List<Incident> found) {
    public Step {
      found = List.copyOf(found);
    }
  }

  /**
   * Counts measurements.
   *
   * @param samples in any order; those of other pods than the tenants are dropped
   * @param tenants of every shared GPU, by its uuid
   */
  public Step step(List<Sample> samples, Map<String, List<Cotenant>> tenants, Instant now) {
    GuardState current = on(tenants, now);
    List<Incident> found = new ArrayList<>();
    Map<String, String> gpus = new HashMap<>();
    tenants.forEach((gpu, there) -> there.forEach(one -> gpus.put(one.uid(), gpu)));
    List<Sample> ordered =
        samples.stream()
            .filter(sample -> gpus.containsKey(sample.uid()) && isFresh(sample, now))
            .sorted(Comparator.comparing(Sample::at).thenComparing(Sample::uid))
            .toList();
    for (Sample sample : ordered) {
      String gpu = gpus.getOrDefault(sample.uid(), "");
      current = current.count(sample, gpu, tenants.getOrDefault(gpu, List.of()), now, found);
    }
    return new Step(current, found);
  }

  private static boolean isFresh(Sample sample, Instant now) {
    return !sample.at().isBefore(now.minus(FRESH)) && !sample.at().isAfter(now.plus(FRESH));
  }

  /** Without incidents whose pods are apart, streaks of pods that are gone, and what is over. */
  private GuardState on(Map<String, List<Cotenant>> tenants, Instant now) {
    Set<String> uids = new HashSet<>();
    tenants.values().forEach(there -> there.forEach(one -> uids.add(one.uid())));
    List<Incident> standing =
        notes.incidents().stream()
            .filter(
                incident -> isTogether(incident, tenants.getOrDefault(incident.gpu(), List.of())))
            .toList();
    GuardNotes left = notes.at(now);
    return new GuardState(left.withIncidents(standing), streaks.of(uids));
  }

  private static boolean isTogether(Incident incident, List<Cotenant> there) {
    Set<String> uids = there.stream().map(Cotenant::uid).collect(Collectors.toSet());
    return uids.size() > 1
        && uids.contains(incident.cause().victim())
        && uids.contains(incident.cause().newcomer());
  }

  private GuardState count(
      Sample sample, String gpu, List<Cotenant> there, Instant now, List<Incident> found) {
    Cotenant victim =
        there.stream().filter(one -> one.uid().equals(sample.uid())).findFirst().orElseThrow();
    GuardRules rules = victim.rules();
    Watched key = new Watched(sample.uid(), sample.signal());
    if (there.size() < 2 || rules.mode() == Mode.OFF || streaks.hasSeen(key, sample.at())) {
      return this;
    }
    Set<String> beside = there.stream().map(Cotenant::uid).collect(Collectors.toSet());
    Streaks counted = streaks.with(key, sample, beside);
    GuardState next = new GuardState(notes, counted);
    @Nullable Streak streak = counted.of(key);
    boolean lasts =
        streak != null
            && streak.last().equals(sample.at())
            && streak.length().compareTo(rules.time()) >= 0;
    if (!lasts || streak == null) {
      return next;
    }
    return streak.broken() ? next.broken(sample, victim, gpu, there, now, found) : next.kept(key);
  }

  /** The promise is kept again: the GPU takes others. */
  private GuardState kept(Watched key) {
    return with(
        notes.withIncidents(
            notes.incidents().stream()
                .map(one ->
                    one.cause().victim().equals(key.uid()) && one.cause().signal() == key.signal()
                        ? one.closed(false)
                        : one)
                .toList()));
  }

  private GuardState broken(
      Sample sample,
      Cotenant victim,
      String gpu,
      List<Cotenant> there,
      Instant now,
      List<Incident> found) {
    Cotenant newcomer = newcomer(there);
    Cause cause = new Cause(victim.uid(), newcomer.uid(), sample.signal());
    boolean acts = victim.rules().mode() == Mode.ACT;
    @Nullable Incident known = notes.find(cause).orElse(null);
    if (known != null) {
      return with(notes.with(known.closed(acts)));
    }
    Move move = move(victim, newcomer, sample.signal(), now);
    Incident incident = new Incident(cause, gpu, now, sample.value(), sample.limit(), acts, move);
    found.add(incident);
    return with(
        notes.plus(
            incident,
            acts ? apart(victim, newcomer, there, now) : List.of(),
            move == Move.PLANNED ? List.of(new Eviction(newcomer.namespace(), now)) : List.of()));
  }

  /** Who came last; of several the last by uid. */
  private static Cotenant newcomer(List<Cotenant> there) {
    return there.stream()
        .max(Comparator.comparing(Cotenant::grantedAt).thenComparing(Cotenant::uid))
        .orElseThrow();
  }

  /** A pod may state any speed, so what it states moves pods of its own namespace alone. */
  private Move move(Cotenant victim, Cotenant newcomer, Signal signal, Instant now) {
    boolean wanted =
        victim.rules().mode() == Mode.ACT
            && newcomer.rules().mode() == Mode.ACT
            && newcomer.isMovable();
    boolean trusted = !signal.isStatedByThePod() || victim.namespace().equals(newcomer.namespace());
    if (!wanted || !trusted) {
      return Move.STAYS;
    }
    if (notes.incidents().stream().anyMatch(one -> one.moves(newcomer.uid()))) {
      return Move.ANOTHER;
    }
    return notes.evicted(newcomer.namespace(), now) < newcomer.rules().evictionsPerHour()
        ? Move.PLANNED
        : Move.OVER_BUDGET;
  }

  /** The victim and the newcomer; where they are one, it and all others. */
  private static List<Pair> apart(
      Cotenant victim, Cotenant newcomer, List<Cotenant> there, Instant now) {
    List<Pair> pairs = new ArrayList<>();
    for (Cotenant other : there) {
      boolean counts =
          victim.uid().equals(newcomer.uid())
              ? !other.uid().equals(victim.uid())
              : other.uid().equals(newcomer.uid());
      if (counts) {
        pairs.add(new Pair(victim.workload(), other.workload(), now));
      }
    }
    return pairs;
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

  /** Incidents whose newcomer is to be evicted, while the promise is broken. */
  public Set<Incident> planned() {
    Set<Incident> planned = new TreeSet<>(Comparator.comparing(one -> one.cause().toString()));
    notes.incidents().stream()
        .filter(one -> one.isClosed() && one.move() == Move.PLANNED)
        .forEach(planned::add);
    return planned;
  }

  /** Uids of pods with counted samples, and of pods with incidents. */
  public Set<String> watched() {
    Set<String> uids = new TreeSet<>();
    streaks.all().keySet().forEach(key -> uids.add(key.uid()));
    for (Incident incident : notes.incidents()) {
      uids.add(incident.cause().victim());
      uids.add(incident.cause().newcomer());
    }
    return uids;
  }
}
