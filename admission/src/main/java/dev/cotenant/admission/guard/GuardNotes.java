package dev.cotenant.admission.guard;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What the guard has done and remembers; outlives a leader. Bounded: the oldest are dropped.
 *
 * @param incidents one for each cause
 * @param pairs workloads that do not get on
 * @param evictions that count towards a namespace's hour
 */
public record GuardNotes(List<Incident> incidents, List<Pair> pairs, List<Eviction> evictions) {
  public static final GuardNotes NONE = new GuardNotes(List.of(), List.of(), List.of());

  static final int MOST_INCIDENTS = 200;
  static final int MOST_PAIRS = 500;
  static final int MOST_EVICTIONS = 300;

  /** Time after which a pair may meet again; neighbours and code change. */
  static final Duration REMEMBERED = Duration.ofDays(7);

  /** Time in which evictions are counted. */
  static final Duration BUDGET_PERIOD = Duration.ofHours(1);

  /**
   * Two workloads that were beside each other while a promise was broken.
   *
   * @param one see {@link Cotenant#workload}
   * @param other equal to {@code one} where two pods of one configuration do not get on
   * @param since time of the finding
   */
  public record Pair(String one, String other, Instant since) {
    /** When it is forgotten. */
    public Instant until() {
      return since.plus(REMEMBERED);
    }

    boolean isOf(String first, String second) {
      return (one.equals(first) && other.equals(second))
          || (one.equals(second) && other.equals(first));
    }
  }

  /** A counted eviction of a pod of a namespace. */
  public record Eviction(String namespace, Instant at) {}

  public GuardNotes {
    incidents = newest(incidents, Comparator.comparing(Incident::at), MOST_INCIDENTS);
    pairs = newest(pairs, Comparator.comparing(Pair::since), MOST_PAIRS);
    evictions = newest(evictions, Comparator.comparing(Eviction::at), MOST_EVICTIONS);
  }

  private static <T> List<T> newest(List<T> all, Comparator<T> byTime, int most) {
    return all.size() <= most
        ? List.copyOf(all)
        : all.stream().sorted(byTime).skip(all.size() - (long) most).toList();
  }

  /** The incident of a cause. */
  public Optional<Incident> find(Incident.Cause cause) {
    return incidents.stream().filter(one -> one.cause().equals(cause)).findFirst();
  }

  /** The same with another incident of its cause; unchanged where there is none. */
  public GuardNotes with(Incident changed) {
    return new GuardNotes(
        incidents.stream().map(one -> one.cause().equals(changed.cause()) ? changed : one).toList(),
        pairs,
        evictions);
  }

  /** Whether, and until when, two workloads are kept apart. */
  public Optional<Pair> pair(String first, String second, Instant now) {
    return pairs.stream()
        .filter(pair -> pair.isOf(first, second) && now.isBefore(pair.until()))
        .findFirst();
  }

  /** Evictions of pods of a namespace within the last hour. */
  long evicted(String namespace, Instant now) {
    return evictions.stream()
        .filter(one -> one.namespace().equals(namespace))
        .filter(one -> now.isBefore(one.at().plus(BUDGET_PERIOD)))
        .count();
  }

  GuardNotes plus(Incident incident, Collection<Pair> apart, Collection<Eviction> counted) {
    return new GuardNotes(
        Stream.concat(incidents.stream(), Stream.of(incident)).toList(),
        Stream.concat(
                pairs.stream()
                    .filter(old -> apart.stream().noneMatch(p -> p.isOf(old.one(), old.other()))),
                apart.stream())
            .toList(),
        Stream.concat(evictions.stream(), counted.stream()).toList());
  }

  /** Without what is over by now. */
  GuardNotes at(Instant now) {
    return new GuardNotes(
        incidents,
        pairs.stream().filter(pair -> now.isBefore(pair.until())).toList(),
        evictions.stream().filter(one -> now.isBefore(one.at().plus(BUDGET_PERIOD))).toList());
  }

  /** Only with these incidents. */
  GuardNotes withIncidents(List<Incident> other) {
    return new GuardNotes(other, pairs, evictions);
  }
}
