package dev.cotenant.admission.gate.events;

import dev.cotenant.admission.cluster.ForeignGpus;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.state.Term;
import dev.cotenant.admission.inventory.Claims;
import dev.cotenant.admission.inventory.ForeignClaims;
import dev.cotenant.admission.inventory.GrantTrust;
import dev.cotenant.admission.ledger.Occupant;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.GpuDialect;
import dev.cotenant.admission.pod.PodRequest;
import dev.cotenant.domain.cluster.GpuSnapshot;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Pods that use GPUs without a grant. */
final class ForeignPods {
  private final Term term;
  private final GrantTrust trusted;

  ForeignPods(Term term, GrantTrust trusted) {
    this.term = term;
    this.trusted = trusted;
  }

  /** Counts the GPUs of a pod. */
  void settle(WatchedPod state) {
    @Nullable String node = node(state);
    @Nullable String claim = claim(state);
    ForeignClaims claims = term.cluster().foreignClaims();
    if (node == null || !state.isLive()) {
      term.ledger().vacate(state.uid());
      return;
    }
    if (claim != null && claims.counts(claim)) {
      term.ledger().vacate(state.uid());
    } else {
      occupy(state, node);
    }
    if (claim != null) {
      claims.use(claim, state.uid(), () -> recount(state));
    }
  }

  private void occupy(WatchedPod state, String node) {
    ForeignGpus.Found found = found(state);
    List<String> there = new ArrayList<>();
    for (String uuid : found.uuids()) {
      @Nullable GpuSnapshot gpu = term.cluster().gpus().find(uuid).orElse(null);
      if (gpu != null && gpu.node().equals(node)) {
        there.add(uuid);
      }
    }
    if (there.size() == found.uuids().size() && !there.isEmpty()) {
      term.ledger()
          .occupy(
              new Occupant(state.uid(), there, new Occupant.Alone(state.pod().toString())), node);
    } else if (found.uuids().size() + found.others() > 0) {
      term.ledger().occupy(state, node, Math.max(found.uuids().size(), found.others()));
    } else {
      term.ledger().vacate(state.uid()); // its earlier annotations are no longer trusted
    }
  }

  /** Another claim, or another grant through it, decides whether the claim counts for the pod. */
  private void recount(WatchedPod state) {
    if (term.ledger().find(state.uid()).isEmpty()) {
      settle(state);
    } else {
      term.cluster().foreignClaims().disuse(state.uid());
    }
  }

  /** The claim by which a pod uses GPUs; null without one. */
  private static @Nullable String claim(WatchedPod state) {
    return state.request() instanceof PodRequest.Colocatable pod
            && pod.gpu().dialect() == GpuDialect.DRA
        ? Claims.named(state).orElse(null)
        : null;
  }

  private ForeignGpus.Found found(WatchedPod state) {
    if (trusted.trusts(state)) {
      return ForeignGpus.of(state);
    }
    ForeignGpus.Found byOthers = ForeignGpus.byOtherSchedulers(state);
    int requested = ForeignGpus.requested(state.request());
    return byOthers.uuids().size() <= requested
        ? byOthers
        : new ForeignGpus.Found(List.of(), requested);
  }

  /** The node that it runs on, or that its unreadable grant names. */
  private @Nullable String node(WatchedPod state) {
    @Nullable String bound = state.scheduling().node();
    if (bound != null) {
      return bound;
    }
    @Nullable String assigned = state.annotations().get(CotenantAnnotations.ASSIGNED_NODE);
    return assigned != null && term.cluster().node(assigned).isPresent() && trusted.trusts(state)
        ? assigned
        : null;
  }
}
