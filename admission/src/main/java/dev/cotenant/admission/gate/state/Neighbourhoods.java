package dev.cotenant.admission.gate.state;

import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.guard.GuardNotes;
import dev.cotenant.admission.guard.GuardState;
import dev.cotenant.admission.guard.GuardedPod;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.policy.GuardRules;
import dev.cotenant.admission.policy.Policies;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.domain.decision.Reason;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Tenants that share GPUs, and the guard's findings about them. */
public final class Neighbourhoods {
  /** Value of {@link CotenantAnnotations#ON_SLOWDOWN}. */
  private static final String EVICT = "evict";

  private final Term term;
  private final Supplier<Policies> policies;
  private final Predicate<String> optedIn;
  private final AntiAffinities affinities;
  private GuardState guard = GuardState.of(GuardNotes.NONE);

  Neighbourhoods(Term term, Supplier<Policies> policies, Predicate<String> optedIn) {
    this.term = term;
    this.policies = policies;
    this.optedIn = optedIn;
    this.affinities = new AntiAffinities(term);
  }

  /** What the guard found. */
  public GuardState guard() {
    return guard;
  }

  /**
   * Applies the guard's state: closes its GPUs, opens all others, and updates the avoided pairs.
   */
  public void guard(GuardState found) {
    boolean sameGpus = found.closed().equals(guard.closed());
    boolean samePairs = found.notes().pairs().equals(guard.notes().pairs());
    guard = found;
    if (!sameGpus) {
      term.cluster().close(found.closed());
    }
    if (!samePairs) {
      affinities.pairs(found.notes().pairs());
      term.cluster().freedElsewhere(); // one may be over
    }
  }

  /** Tenants by GPU uuid, for the GPUs of these pods. */
  public Map<String, List<GuardedPod>> of(Collection<String> uids) {
    Set<String> gpus = new TreeSet<>();
    for (String uid : uids) {
      @Nullable PodGrant grant = term.ledger().granted(uid);
      if (grant != null && isBound(grant)) {
        gpus.addAll(grant.gpus());
      }
    }
    Map<String, List<GuardedPod>> tenants = new HashMap<>();
    for (String gpu : gpus) {
      List<GuardedPod> there = new ArrayList<>();
      term.ledger().on(gpu).forEach(grant -> guardedPod(grant).ifPresent(there::add));
      tenants.put(gpu, there);
    }
    return tenants;
  }

  private static boolean isBound(PodGrant grant) {
    return grant.extent() == PodGrant.Extent.SHARE
        && (grant.state() instanceof PodGrant.Bound || grant.state() instanceof PodGrant.Observed);
  }

  private Optional<GuardedPod> guardedPod(PodGrant grant) {
    @Nullable TrackedPod pod = term.pods().find(grant.key());
    if (pod == null || !isBound(grant)) {
      return Optional.empty();
    }
    WatchedPod state = pod.latest();
    String namespace = state.pod().namespace();
    return Optional.of(
        new GuardedPod(
            state.uid(),
            namespace,
            AntiAffinities.workload(state).orElse(state.pod().toString()),
            grant.grantedAt(),
            grant.state() instanceof PodGrant.Observed observed ? observed.startedAt() : null,
            isMovable(state),
            rules(namespace)));
  }

  /** Of namespaces that are not enforced pods are observed alone; where the policy is off, not. */
  private GuardRules rules(String namespace) {
    Policy policy = policies.get().of(namespace);
    GuardRules rules = policy.measuring().guard();
    return switch (policy.mode()) {
      case OFF -> rules.atMost(GuardRules.Mode.OFF);
      case SHADOW, WARN, FILL, CAP, IMMEDIATE -> rules.atMost(GuardRules.Mode.OBSERVE);
      case ENFORCE -> optedIn.test(namespace) ? rules : rules.atMost(GuardRules.Mode.OBSERVE);
    };
  }

  /** Whether its owner lets it be moved and its controller makes a new pod. */
  private static boolean isMovable(WatchedPod pod) {
    return EVICT.equals(pod.annotations().get(CotenantAnnotations.ON_SLOWDOWN))
        && pod.controller() != null
        && pod.isLive()
        && !pod.life().terminating();
  }

  /** GPUs with a tenant whose workload has anti-affinity with a pod's, by uuid; unmodifiable. */
  public Map<String, Reason> avoided(Colocatable pod) {
    return affinities.avoided(pod);
  }
}
