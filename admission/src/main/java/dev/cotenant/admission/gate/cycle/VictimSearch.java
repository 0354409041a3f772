package dev.cotenant.admission.gate.cycle;

import dev.cotenant.admission.assignment.GpuAssignment;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.port.GatePorts;
import dev.cotenant.admission.gate.state.Term;
import dev.cotenant.admission.gate.state.TrackedPod;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.policy.Policy.Preemption;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.decision.Decision;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Finds the cheapest pods of lower priority whose capacity makes a pod fit. */
final class VictimSearch {
  /*
   * Idea: as kube-scheduler's preemption [kubernetes, default_preemption.go, SelectVictimsOnNode].
   * For each GPU (each node, where pods have several GPUs or the kubelet selects them): without all
   * pods of lower priority, does the pod fit? If so, they are given back from the most important
   * one, as long as it still fits; the rest is a set of which none can be left out. Nominations are
   * tried alone first, then pods that have not started, then all. Pods that terminate already
   * leave in any case. Complexity: one decision for each pod of each GPU. The order of the sets is
   * total, so that the same state gives the same set.
   */
  /** GPUs or nodes that one search looks at, those of the lowest priorities first. */
  private static final int MAX_SITES = 200;

  private final GatePorts ports;
  private final Term term;
  private final Deciding deciding;
  private final GpusAfterEviction gpus;

  /** The pods of this cycle; null before the first search. */
  private @Nullable Candidates candidates;

  VictimSearch(GatePorts ports, Term term, Deciding deciding) {
    this.ports = ports;
    this.term = term;
    this.deciding = deciding;
    this.gpus = new GpusAfterEviction(term.cluster());
  }

  /** Pods that may give way or that terminate, by priority. */
  private record Candidates(
      NavigableMap<Integer, List<TrackedPod>> byPriority, List<TrackedPod> terminating) {
    static Candidates of(Collection<TrackedPod> pods) {
      Candidates all = new Candidates(new TreeMap<>(), new ArrayList<>());
      for (TrackedPod pod : pods) {
        WatchedPod state = pod.latest();
        (state.life().terminating()
                ? all.terminating
                : all.byPriority.computeIfAbsent(
                    state.scheduling().priority(), _ -> new ArrayList<>()))
            .add(pod);
      }
      return all;
    }

    boolean isEmptyBelow(int priority) {
      return terminating.isEmpty() && byPriority.headMap(priority).isEmpty();
    }

    Stream<TrackedPod> below(int priority) {
      return Stream.concat(
          terminating.stream(),
          byPriority.headMap(priority).values().stream().flatMap(List::stream));
    }
  }

  /** Where pods give way: a GPU, or all GPUs of a node. */
  private record Site(String node, @Nullable String gpu) {}

  /** The pods of a site. */
  private record Occupants(List<Victim> leaving, List<Victim> victims) {
    int lowestPriority() {
      return victims.stream().mapToInt(Victim::priority).min().orElse(Integer.MIN_VALUE);
    }
  }

  /** Begins a cycle, in which pods do not change. */
  void beginCycle() {
    candidates = null;
  }

  /** Whether any pod terminates or has a lower priority. */
  boolean hasCandidates(int priority) {
    return !candidates().isEmptyBelow(priority);
  }

  private Candidates candidates() {
    if (candidates == null) {
      candidates = Candidates.of(term.pods().all());
    }
    return candidates;
  }

  /** The cheapest set for a pod; empty where none makes it fit. */
  Optional<VictimSet> search(TrackedPod preemptor, Subject subject, Instant now) {
    return sites(preemptor, subject, now).entrySet().stream()
        .sorted(
            Comparator.comparingInt(
                (Map.Entry<Site, Occupants> site) -> site.getValue().lowestPriority()))
        .limit(MAX_SITES)
        .flatMap(site -> cheapest(subject, site.getKey(), site.getValue()).stream())
        .min(VictimSet.CHEAPEST_FIRST);
  }

  private Map<Site, Occupants> sites(TrackedPod preemptor, Subject subject, Instant now) {
    boolean byNode =
        subject.pod().gpu().gpus() > 1
            || !GpuAssignment.of(deciding.policy(subject.pod()).gpuAssignment()).choosesGpu();
    Map<Site, Occupants> sites =
        new TreeMap<>(
            Comparator.comparing(Site::node)
                .thenComparing(Site::gpu, Comparator.nullsFirst(Comparator.naturalOrder())));
    candidates()
        .below(preemptor.latest().scheduling().priority())
        .forEach(pod -> add(pod, preemptor, byNode, sites, now));
    sites.keySet().removeIf(this::isHeld);
    return sites;
  }

  private void add(
      TrackedPod pod,
      TrackedPod preemptor,
      boolean byNode,
      Map<Site, Occupants> sites,
      Instant now) {
    @Nullable PodGrant grant = term.ledger().find(pod.uid()).orElse(null);
    if (grant == null || term.preemptions().isHold(grant)) {
      return;
    }
    Victim victim = new Victim(pod, grant);
    boolean terminates = pod.latest().life().terminating();
    boolean leaves = terminates && !term.preemptions().isProtected(pod.uid(), now);
    if (!leaves && (terminates || !mayGiveWay(victim, preemptor, now))) {
      return;
    }
    for (String gpu : byNode ? List.of(grant.gpus().getFirst()) : grant.gpus()) {
      Site site = new Site(grant.node(), byNode ? null : gpu);
      Occupants there =
          sites.computeIfAbsent(site, _ -> new Occupants(new ArrayList<>(), new ArrayList<>()));
      (leaves ? there.leaving() : there.victims()).add(victim);
    }
  }

  /** Whether another preemption is under way there. */
  private boolean isHeld(Site site) {
    return site.gpu() == null
        ? term.cluster().gpus(site.node()).stream()
            .anyMatch(gpu -> term.preemptions().isHeld(gpu.uuid()))
        : term.preemptions().isHeld(site.gpu());
  }

  private boolean mayGiveWay(Victim victim, TrackedPod preemptor, Instant now) {
    Preemption allowed = allowed(victim.pod(), preemptor);
    String uid = victim.pod().uid();
    if (victim.grant().isNomination()) {
      return allowed != Preemption.NEVER && term.pods().isReleased(uid);
    }
    return allowed == Preemption.EVICT
        && !victim.pod().isGated()
        && victim.pod().latest().isLive()
        && term.ledger().reserved(uid) == null
        && victim.pod().latest().annotations().containsKey(CotenantAnnotations.ASSIGNED_GPU)
        && ports.optedIn().test(victim.pod().latest().pod().namespace())
        && !term.preemptions().isProtected(uid, now);
  }

  /** The weaker of both policies' preemption settings; never for unmanaged victims. */
  private Preemption allowed(TrackedPod victim, TrackedPod preemptor) {
    Policy own = ports.policies().get().of(preemptor.latest().pod().namespace());
    Policy other = ports.policies().get().of(victim.latest().pod().namespace());
    boolean managed =
        other.mode() == Policy.Mode.ENFORCE && other.gpuAssignment() != Policy.GpuAssignment.DRA;
    Preemption weaker =
        own.preemption().compareTo(other.preemption()) < 0 ? own.preemption() : other.preemption();
    return managed ? weaker : Preemption.NEVER;
  }

  private Optional<VictimSet> cheapest(Subject subject, Site site, Occupants there) {
    for (Victim.Cost most : Victim.Cost.values()) {
      List<Victim> victims =
          there.victims().stream()
              .filter(victim -> victim.cost().compareTo(most) <= 0)
              .sorted(Victim.MIN_IMPORTANT_FIRST)
              .collect(Collectors.toCollection(ArrayList::new));
      boolean any = !victims.isEmpty() || !there.leaving().isEmpty();
      if (any && fits(subject, site, there, victims).isPresent()) {
        return Optional.of(smallest(subject, site, there, victims));
      }
    }
    return Optional.empty();
  }

  /** Gives pods back from the most important one, as long as the pod fits. */
  private VictimSet smallest(Subject subject, Site site, Occupants there, List<Victim> enough) {
    List<Victim> victims = new ArrayList<>(enough);
    for (Victim victim : enough.reversed()) {
      List<Victim> fewer = new ArrayList<>(victims);
      fewer.remove(victim);
      if (fits(subject, site, there, fewer).isPresent()) {
        victims = fewer;
      }
    }
    return new VictimSet(
        victims, !there.leaving().isEmpty(), fits(subject, site, there, victims).orElseThrow());
  }

  private Optional<Decision.Admitted> fits(
      Subject subject, Site site, Occupants there, List<Victim> victims) {
    List<Victim> leaving = new ArrayList<>(there.leaving());
    leaving.addAll(victims);
    Set<String> uids =
        leaving.stream().map(victim -> victim.pod().uid()).collect(Collectors.toSet());
    String only = site.gpu();
    @Nullable Predicate<GpuSnapshot> filter = only == null ? null : gpu -> gpu.uuid().equals(only);
    return term.cluster()
        .absent(
            uids,
            () ->
                deciding.decide(gpus.of(site.node(), leaving), subject, filter)
                        instanceof Decision.Admitted admitted
                    ? Optional.of(admitted)
                    : Optional.empty());
  }
}
