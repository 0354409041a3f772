package dev.cotenant.admission.gate.state;

import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.guard.Cotenant;
import dev.cotenant.admission.guard.GuardNotes;
import dev.cotenant.admission.guard.GuardState;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.policy.Policies;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.workload.Workload;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Who shares a GPU with whom, and what the guard found about them. */
public final class Neighbourhoods {
  /** Value of {@link CotenantAnnotations#ON_SLOWDOWN}. */
  private static final String EVICT = "evict";

  private final Term term;
  private final Supplier<Policies> policies;
  private GuardState guard = GuardState.of(GuardNotes.NONE);

  Neighbourhoods(Term term, Supplier<Policies> policies) {
    this.term = term;
    this.policies = policies;
  }

  /** What the guard found. */
  public GuardState guard() {
    return guard;
  }

  /** The guard found something, or something is over; its GPUs are closed, and no others. */
  public void guard(GuardState found) {
    boolean sameGpus = found.closed().equals(guard.closed());
    boolean samePairs = found.notes().pairs().equals(guard.notes().pairs());
    guard = found;
    if (!sameGpus) {
      term.cluster().close(found.closed());
    }
    if (!samePairs) {
      term.cluster().freedElsewhere(); // one may be forgotten
    }
  }

  /** The tenants of the GPUs of these pods, by uuid of the GPU. */
  public Map<String, List<Cotenant>> of(Collection<String> uids) {
    Set<String> gpus = new TreeSet<>();
    for (String uid : uids) {
      @Nullable PodGrant grant = term.ledger().granted(uid);
      if (grant != null && runs(grant)) {
        gpus.addAll(grant.gpus());
      }
    }
    Map<String, List<Cotenant>> tenants = new HashMap<>();
    for (String gpu : gpus) {
      List<Cotenant> there = new ArrayList<>();
      term.ledger().on(gpu).forEach(grant -> cotenant(grant).ifPresent(there::add));
      tenants.put(gpu, there);
    }
    return tenants;
  }

  private static boolean runs(PodGrant grant) {
    return grant.extent() == PodGrant.Extent.SHARE
        && (grant.state() instanceof PodGrant.Bound || grant.state() instanceof PodGrant.Observed);
  }

  private Optional<Cotenant> cotenant(PodGrant grant) {
    @Nullable TrackedPod pod = term.pods().find(grant.key());
    if (pod == null || !runs(grant)) {
      return Optional.empty();
    }
    WatchedPod state = pod.latest();
    String namespace = state.pod().namespace();
    return Optional.of(
        new Cotenant(
            state.uid(),
            state.pod().toString(),
            namespace,
            workload(state).orElse(state.pod().toString()),
            grant.grantedAt(),
            isMovable(state),
            policies.get().of(namespace).measuring().guard()));
  }

  /** Whether its owner lets it be moved and its controller makes a new pod. */
  private static boolean isMovable(WatchedPod pod) {
    return EVICT.equals(pod.annotations().get(CotenantAnnotations.ON_SLOWDOWN))
        && pod.controller() != null
        && pod.isLive()
        && !pod.life().terminating();
  }

  private static Optional<String> workload(WatchedPod pod) {
    return pod.request() instanceof Colocatable request ? workload(request) : Optional.empty();
  }

  private static Optional<String> workload(Colocatable pod) {
    return pod.workload().workload().map(named -> workload(pod.pod().namespace(), named));
  }

  /** Equal for pods of one namespace and configuration, also after a restart. */
  private static String workload(String namespace, Workload named) {
    return namespace
        + "/"
        + named.model()
        + " "
        + named.batchSize()
        + " "
        + named.settings().mode()
        + " "
        + named.settings().precision();
  }

  /** GPUs with a tenant beside which a pod's workload did not get on, by uuid. */
  public Map<String, Reason> avoided(Colocatable pod, Instant now) {
    @Nullable String own = workload(pod).orElse(null);
    Map<String, Reason> avoided = new HashMap<>();
    if (own == null || guard.notes().pairs().isEmpty()) {
      return avoided;
    }
    for (PodGrant grant : term.ledger().all()) {
      @Nullable TrackedPod tenant = term.pods().find(grant.key());
      @Nullable String other = tenant == null ? null : workload(tenant.latest()).orElse(null);
      boolean isOther = grant.extent() == PodGrant.Extent.SHARE && !pod.pod().equals(grant.pod());
      if (isOther && other != null) {
        guard
            .notes()
            .pair(own, other, now)
            .ifPresent(pair -> {
              String gpu = grant.gpus().getFirst();
              avoided.put(
                  gpu,
                  new Reason.PairAvoided(gpu, grant.node(), grant.pod().toString(), pair.until()));
            });
      }
    }
    return avoided;
  }
}
