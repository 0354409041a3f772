package dev.cotenant.admission.guard;

import dev.cotenant.admission.guard.GuardNotes.Bound;
import dev.cotenant.admission.guard.GuardNotes.Eviction;
import dev.cotenant.admission.guard.GuardNotes.Pair;
import dev.cotenant.admission.guard.Incident.Cause;
import dev.cotenant.admission.guard.Incident.Move;
import dev.cotenant.admission.guard.Streaks.Streak;
import dev.cotenant.admission.guard.Streaks.Watched;
import dev.cotenant.admission.policy.GuardRules.Mode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One step of the guard, on a copy of its state. */
final class Counting {
  private final Map<Cause, Incident> incidents = new LinkedHashMap<>();
  private final Set<String> victims = new HashSet<>();
  private final List<Pair> pairs;
  private final List<Eviction> evictions;
  private final Streaks before;
  private @Nullable Map<Watched, Streak> streaks;
  private final Map<String, List<GuardedPod>> tenants;
  private final Map<String, String> gpus = new HashMap<>();
  private final Instant now;
  private final List<Incident> found = new ArrayList<>();
  private final List<Incident> planned = new ArrayList<>();

  Counting(GuardNotes notes, Streaks before, Map<String, List<GuardedPod>> tenants, Instant now) {
    notes.incidents().forEach(one -> incidents.put(one.cause(), one));
    incidents.keySet().forEach(cause -> victims.add(cause.victim()));
    this.pairs = new ArrayList<>(notes.pairs());
    this.evictions = new ArrayList<>(notes.evictions());
    this.before = before;
    this.tenants = tenants;
    this.now = now;
    tenants.forEach((gpu, there) -> there.forEach(one -> gpus.put(one.uid(), gpu)));
  }

  GuardNotes notes() {
    return new GuardNotes(List.copyOf(incidents.values()), pairs, evictions);
  }

  Streaks streaks() {
    return streaks == null ? before : Streaks.frozen(streaks);
  }

  List<Incident> found() {
    return found;
  }

  List<Incident> planned() {
    return planned;
  }

  private List<GuardedPod> beside(String uid) {
    return tenants.getOrDefault(gpus.getOrDefault(uid, ""), List.of());
  }

  /** Drops incidents whose pods are apart, and those of pods that are not guarded any more. */
  void dropEnded() {
    incidents
        .values()
        .removeIf(incident -> {
          List<GuardedPod> there = beside(incident.cause().victim());
          @Nullable GuardedPod victim = GuardState.find(there, incident.cause().victim());
          return victim == null
              || there.size() < 2
              || GuardState.find(there, incident.cause().newcomer()) == null
              || victim.rules().mode() == Mode.OFF;
        });
  }

  void count(List<Sample> samples) {
    List<Sample> ordered =
        samples.stream()
            .filter(sample -> gpus.containsKey(sample.uid()) && isFresh(sample))
            .sorted(Comparator.comparing(Sample::at).thenComparing(Sample::uid))
            .toList();
    if (!ordered.isEmpty()) {
      Map<Watched, Streak> mutable = before.mutable(now.minus(GuardState.LAPSE));
      streaks = mutable;
      ordered.forEach(sample -> count(sample, mutable));
    }
  }

  private boolean isFresh(Sample sample) {
    return !sample.at().isBefore(now.minus(GuardState.FRESH))
        && !sample.at().isAfter(now.plus(GuardState.FRESH));
  }

  private void count(Sample sample, Map<Watched, Streak> mutable) {
    List<GuardedPod> there = GuardState.running(beside(sample.uid()));
    @Nullable GuardedPod victim = GuardState.find(there, sample.uid());
    Watched key = new Watched(sample.uid(), sample.signal());
    @Nullable Streak known = mutable.get(key);
    boolean isNew = known == null || sample.at().isAfter(known.seen());
    if (victim == null || there.size() < 2 || victim.rules().mode() == Mode.OFF || !isNew) {
      return;
    }
    @Nullable Streak streak = Streaks.next(known, sample, GuardState.uids(there));
    if (streak == null) {
      return;
    }
    mutable.put(key, streak);
    boolean lasts =
        streak.last().equals(sample.at()) && streak.length().compareTo(victim.rules().time()) >= 0;
    if (lasts && streak.broken()) {
      boolean moves = sample.signal().blamesNeighbours() && streak.moves(victim.rules().time());
      broken(sample, victim, there, moves);
    } else if (lasts) {
      kept(key);
    }
  }

  /** The limit is kept again: the GPU takes others. */
  private void kept(Watched key) {
    if (victims.contains(key.uid())) {
      incidents.replaceAll((cause, one) ->
          cause.victim().equals(key.uid()) && cause.signal() == key.signal()
              ? one.closed(false)
              : one);
    }
  }

  /** Opens GPUs without any sample of the victim for long; the next ones may close them again. */
  void open(Instant begun) {
    Map<Watched, Streak> all = streaks().all();
    incidents.replaceAll((cause, one) -> {
      @Nullable Streak streak = all.get(new Watched(cause.victim(), cause.signal()));
      Instant seen = streak == null ? begun : streak.seen();
      return now.isAfter(seen.plus(GuardState.LAPSE)) ? one.closed(false) : one;
    });
  }

  private void broken(Sample sample, GuardedPod victim, List<GuardedPod> there, boolean moves) {
    GuardedPod newcomer = newcomer(there);
    Cause cause = new Cause(victim.uid(), newcomer.uid(), sample.signal());
    boolean acts = victim.rules().mode() == Mode.ACT;
    @Nullable Incident known = incidents.get(cause);
    boolean hasRoom =
        (known != null && known.isObserved() != acts) || hasRoom(victim.namespace(), acts);
    if (known == null ? !hasRoom : !acts || !hasRoom) {
      if (known != null) {
        incidents.put(cause, known.closed(false));
      }
      return;
    }
    Move move = acts ? move(victim, newcomer, known, moves) : Move.OBSERVED;
    Incident incident = incident(cause, sample, victim, known, acts, move);
    incidents.put(cause, incident);
    victims.add(victim.uid());
    boolean isNew = known == null || known.isObserved();
    if (acts && isNew && sample.signal().blamesNeighbours()) {
      avoid(victim, newcomer, there);
    }
    if (move == Move.PLANNED && (known == null || known.move() != Move.PLANNED)) {
      evictions.removeIf(one -> one.uid().equals(newcomer.uid()));
      evictions.add(new Eviction(newcomer.namespace(), newcomer.uid(), now));
      if (known != null) {
        planned.add(incident);
      }
    }
    if (known == null) {
      found.add(incident);
    }
  }

  private Incident incident(
      Cause cause,
      Sample sample,
      GuardedPod victim,
      @Nullable Incident known,
      boolean acts,
      Move move) {
    return known != null && !known.isObserved()
        ? known.closed(acts).moved(move)
        : new Incident(
            cause,
            victim.namespace(),
            gpus.getOrDefault(victim.uid(), ""),
            now,
            sample.value(),
            sample.limit(),
            acts,
            move);
  }

  private boolean hasRoom(String namespace, boolean acts) {
    Bound bound = acts ? GuardNotes.ACTED : GuardNotes.OBSERVED;
    int all = 0;
    int own = 0;
    for (Incident one : incidents.values()) {
      if (one.isObserved() != acts) {
        all++;
        own += one.namespace().equals(namespace) ? 1 : 0;
      }
    }
    return all < bound.all() && own < bound.each();
  }

  /** The most recently granted, wherever containers were restarted; of several the last by uid. */
  private static GuardedPod newcomer(List<GuardedPod> there) {
    return there.stream()
        .max(Comparator.comparing(GuardedPod::grantedAt).thenComparing(GuardedPod::uid))
        .orElseThrow();
  }

  private Move move(
      GuardedPod victim, GuardedPod newcomer, @Nullable Incident known, boolean moves) {
    Move last = known == null ? Move.STAYS : known.move();
    if (last == Move.EVICTED) {
      return last;
    }
    if (!moves || !GuardState.mayMove(victim, newcomer)) {
      return Move.STAYS;
    }
    if (last == Move.PLANNED) {
      return last;
    }
    if (incidents.values().stream().anyMatch(one -> one.moves(newcomer.uid()))) {
      return Move.ANOTHER;
    }
    boolean isCounted = evictions.stream().anyMatch(one -> one.uid().equals(newcomer.uid()));
    if (last == Move.REFUSED && isCounted) {
      return last; // again in an hour
    }
    return isCounted || hasBudget(newcomer) ? Move.PLANNED : Move.OVER_BUDGET;
  }

  private boolean hasBudget(GuardedPod newcomer) {
    long counted =
        evictions.stream().filter(one -> one.namespace().equals(newcomer.namespace())).count();
    return evictions.size() < GuardNotes.MAX_EVICTIONS
        && counted < newcomer.rules().evictionsPerHour();
  }

  /**
   * Avoids the pairs of victim and newcomer; if the newcomer is the victim, its pairs with all
   * other pods.
   */
  private void avoid(GuardedPod victim, GuardedPod newcomer, List<GuardedPod> there) {
    for (GuardedPod other : there) {
      boolean counts =
          victim.uid().equals(newcomer.uid())
              ? !other.uid().equals(victim.uid())
              : other.uid().equals(newcomer.uid());
      if (counts) {
        avoid(new Pair(victim.workload(), other.workload(), now));
      }
    }
  }

  private void avoid(Pair pair) {
    boolean renews = pairs.removeIf(old -> pair.isOf(old.one(), old.other()));
    long own = pairs.stream().filter(old -> old.namespace().equals(pair.namespace())).count();
    if (renews || (pairs.size() < GuardNotes.PAIRS.all() && own < GuardNotes.PAIRS.each())) {
      pairs.add(pair);
    }
  }
}
