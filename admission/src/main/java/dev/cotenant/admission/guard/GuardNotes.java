package dev.cotenant.admission.guard;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * What the guard has done; outlives a leader. Bounded, for each namespace and for all: where it is
 * full, nothing new is noted and nothing is done, and no standing entry is dropped.
 *
 * @param incidents one for each cause
 * @param pairs workloads with anti-affinity
 * @param evictions that count towards a namespace's hour
 */
public record GuardNotes(List<Incident> incidents, List<Pair> pairs, List<Eviction> evictions) {
  public static final GuardNotes NONE = new GuardNotes(List.of(), List.of(), List.of());

  /** Of incidents that close a GPU, of those that are only reported, and of pairs. */
  static final Bound ACTED = new Bound(100, 500);

  static final Bound OBSERVED = new Bound(200, 1_000);
  static final Bound PAIRS = new Bound(200, 1_000);

  /** Over all namespaces; the policy bounds the evictions of one namespace. */
  static final int MAX_EVICTIONS = 1_000;

  /** Duration of the anti-affinity of a pair; neighbours and code change. */
  static final Duration REMEMBERED = Duration.ofDays(7);

  /** Time in which evictions are counted. */
  static final Duration BUDGET_PERIOD = Duration.ofHours(1);

  /**
   * Most entries.
   *
   * @param each of a namespace
   * @param all of all namespaces
   */
  record Bound(int each, int all) {}

  /**
   * Two workloads whose colocation violated an objective of a tenant.
   *
   * @param one of the measured pod; see {@link GuardedPod#workload}
   * @param other equal to {@code one} where both pods have one configuration
   * @param since time of the finding
   */
  public record Pair(String one, String other, Instant since) {
    /** End of the anti-affinity. */
    public Instant until() {
      return since.plus(REMEMBERED);
    }

    boolean isOf(String first, String second) {
      return (one.equals(first) && other.equals(second))
          || (one.equals(second) && other.equals(first));
    }

    String namespace() {
      return one.substring(0, Math.max(0, one.indexOf('/')));
    }
  }

  /**
   * A counted eviction.
   *
   * @param namespace of the pod
   * @param uid of the pod
   * @param at when it was planned, or sent
   */
  public record Eviction(String namespace, String uid, Instant at) {
    private boolean counts(Instant now) {
      return now.isBefore(at.plus(BUDGET_PERIOD));
    }
  }

  public GuardNotes {
    incidents = List.copyOf(incidents);
    pairs = List.copyOf(pairs);
    evictions = List.copyOf(evictions);
  }

  /** The incident of a cause. */
  public Optional<Incident> find(Incident.Cause cause) {
    return incidents.stream().filter(one -> one.cause().equals(cause)).findFirst();
  }

  /** The anti-affinity of two workloads; empty without one. */
  public Optional<Pair> pair(String first, String second, Instant now) {
    return pairs.stream()
        .filter(pair -> pair.isOf(first, second) && now.isBefore(pair.until()))
        .findFirst();
  }

  /** Copy with the outcome of an incident's eviction, if the incident is present. */
  public GuardNotes moved(Incident.Cause cause, Incident.Move outcome) {
    return new GuardNotes(
        incidents.stream()
            .map(one -> one.cause().equals(cause) ? one.moved(outcome) : one)
            .toList(),
        pairs,
        evictions);
  }

  /** Copy in which these pods' evictions count as of now, since they may have been sent. */
  public GuardNotes counted(Collection<String> uids, Instant now) {
    List<Eviction> renewed = new ArrayList<>();
    for (Eviction one : evictions) {
      renewed.add(uids.contains(one.uid()) ? new Eviction(one.namespace(), one.uid(), now) : one);
    }
    return new GuardNotes(incidents, pairs, renewed);
  }

  /** Whether a pair or an eviction is over by now. */
  boolean hasEnded(Instant now) {
    return pairs.stream().anyMatch(pair -> !now.isBefore(pair.until()))
        || evictions.stream().anyMatch(one -> !one.counts(now) && !isPlanned(one.uid()));
  }

  /** Without expired entries; planned evictions do not expire. */
  GuardNotes at(Instant now) {
    return hasEnded(now)
        ? new GuardNotes(
            incidents,
            pairs.stream().filter(pair -> now.isBefore(pair.until())).toList(),
            evictions.stream().filter(one -> one.counts(now) || isPlanned(one.uid())).toList())
        : this;
  }

  private boolean isPlanned(String uid) {
    return incidents.stream()
        .anyMatch(one -> one.move() == Incident.Move.PLANNED && one.cause().newcomer().equals(uid));
  }
}
