package dev.cotenant.admission.gate.cycle;

import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.port.GateListener.Preempted;
import dev.cotenant.admission.gate.port.GatePorts;
import dev.cotenant.admission.gate.port.GateSettings;
import dev.cotenant.admission.gate.state.Due;
import dev.cotenant.admission.gate.state.Preemption;
import dev.cotenant.admission.gate.state.Term;
import dev.cotenant.admission.gate.state.TrackedPod;
import dev.cotenant.admission.gate.write.Evictions;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.report.StatusReport;
import dev.cotenant.domain.decision.Decision;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Preemption by the gate: pods of lower priority give way to a gated pod that fits nowhere.
 *
 * <p>The capacity is held from the start, in addition to the victims', so that no other pod gets
 * it. The pod is decided on in every cycle, by measurements and without its hold, and granted once
 * it fits; until then its victims are evicted one at a time. A hold lapses after a time limit. A
 * new term evicts nothing while evictions of an earlier one may be in flight; their victims
 * terminate by then, and what they leave is held at once.
 */
final class Preempting {
  /** Longest time that capacity is held for a preemptor. */
  private static final Duration HOLD = Duration.ofMinutes(5);

  /** Interval of searches for pods with the same inputs. */
  private static final Duration SEARCH_EVERY = Duration.ofSeconds(5);

  /** Time for which a pod does not preempt again that did not fit in the end. */
  private static final Duration PAUSE = Duration.ofMinutes(10);

  private final GatePorts ports;
  private final GateSettings settings;
  private final Term term;
  private final VictimSearch search;
  private final Evictions evictions;

  /** The next search after one in vain. */
  private final Map<Searched, Instant> nextSearch = new HashMap<>();

  private record Searched(EquivalenceClass equivalence, int priority) {}

  Preempting(
      GatePorts ports, GateSettings settings, Term term, Deciding deciding, Evictions evictions) {
    this.ports = ports;
    this.settings = settings;
    this.term = term;
    this.search = new VictimSearch(ports, term, deciding);
    this.evictions = evictions;
  }

  /** Begins a cycle, in which pods do not change. */
  void beginCycle() {
    search.beginCycle();
  }

  /**
   * Goes on with the preemption for a pod that fits nowhere, or begins one.
   *
   * @param underWay the preemption for the pod, whose capacity is not in the ledger now; null
   *     without one
   * @return capacity that the pod gets at once; empty where it waits
   */
  Optional<Decision.Admitted> preempt(
      TrackedPod pod, Subject subject, @Nullable Preemption underWay, Due due) {
    Instant now = ports.clock().instant();
    if (underWay != null) {
      resume(pod, underWay, now, due);
      return Optional.empty();
    }
    if (!mayPreempt(pod, subject, now) || !search.hasCandidates(priority(pod))) {
      return Optional.empty();
    }
    Searched key = new Searched(subject.equivalence(), priority(pod));
    @Nullable Instant next = nextSearch.get(key);
    if (next != null && now.isBefore(next)) {
      due.at(next);
      return Optional.empty();
    }
    @Nullable VictimSet found = search.search(pod, subject, now).orElse(null);
    if (found == null) {
      nextSearch.values().removeIf(at -> !now.isBefore(at));
      nextSearch.put(key, now.plus(SEARCH_EVERY));
      return Optional.empty();
    }
    return begin(pod, found, now, due);
  }

  private static int priority(TrackedPod pod) {
    return pod.latest().scheduling().priority();
  }

  private boolean mayPreempt(TrackedPod pod, Subject subject, Instant now) {
    WatchedPod state = pod.latest();
    return state.scheduling().preempts()
        && subject.equivalence().claim() == null
        && !term.preemptions().isPaused(pod.uid(), now)
        && ports.policies().get().of(state.pod().namespace()).preemption()
            != Policy.Preemption.NEVER;
  }

  private void resume(TrackedPod pod, Preemption underWay, Instant now, Due due) {
    if (term.preemptions().resume(underWay, now)) {
      due.at(underWay.until());
      evictions.advance(underWay, now, due);
      return;
    }
    due.at(now); // earlier pods of this cycle may fit now
    term.preemptions().pause(pod.uid(), now.plus(PAUSE));
    underWay.hold().gpus().forEach(this::expectNoEnd);
  }

  /** Pods that still terminate on a GPU may do so for ever: nothing waits for them again. */
  private void expectNoEnd(String gpu) {
    for (PodGrant grant : term.ledger().on(gpu)) {
      @Nullable TrackedPod there = term.pods().find(grant.key());
      if (there != null && there.latest().life().terminating()) {
        term.preemptions().protect(grant.key(), Instant.MAX);
      }
    }
  }

  private Optional<Decision.Admitted> begin(TrackedPod pod, VictimSet found, Instant now, Due due) {
    Instant fenced = term.begunAt().plus(settings.fence());
    if (!found.evicted().isEmpty() && now.isBefore(fenced)) {
      due.at(fenced);
      return Optional.empty();
    }
    if (!found.nominated().isEmpty()) {
      found.nominated().forEach(victim -> displace(victim, pod, now));
      due.at(now); // earlier pods of this cycle may fit beside the preemptor
    }
    if (found.waitsForNobody()) {
      return Optional.of(found.admitted());
    }
    PodGrant hold =
        PodGrant.of(pod.uid(), pod.latest().pod(), found.admitted(), now)
            .in(new PodGrant.Allocated(now.plus(HOLD)));
    Preemption preemption =
        new Preemption(hold, found.evicted().stream().map(one -> one.pod().uid()).toList());
    term.preemptions().begin(preemption);
    report(pod, found);
    due.at(now.plus(HOLD));
    evictions.advance(preemption, now, due);
    return Optional.empty();
  }

  private void displace(Victim victim, TrackedPod preemptor, Instant now) {
    term.ledger().release(victim.pod().uid());
    victim.pod().nominations().lapsed(now, settings.nomination());
    ports.listener().preempted(victim.pod().latest(), Preempted.DISPLACED);
    ports
        .cluster()
        .report(
            victim.pod().latest(),
            StatusReport.warning(
                "Preempted",
                "its nomination on "
                    + String.join(", ", victim.grant().gpus())
                    + " ends: priority "
                    + victim.priority()
                    + ", that of "
                    + preemptor.latest().pod()
                    + " is "
                    + priority(preemptor)));
  }

  private void report(TrackedPod pod, VictimSet found) {
    List<Victim> evicted = found.evicted();
    if (!evicted.isEmpty()) {
      String victims =
          evicted.stream()
              .map(one -> one.pod().latest().pod() + " (priority " + one.priority() + ")")
              .collect(Collectors.joining(", "));
      ports
          .cluster()
          .report(
              pod.latest(),
              StatusReport.normal(
                  "Preempting",
                  "priority " + priority(pod) + " evicts from " + found.gpus() + ": " + victims));
    }
  }
}
