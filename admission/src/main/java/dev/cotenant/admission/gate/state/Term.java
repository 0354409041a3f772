package dev.cotenant.admission.gate.state;

import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.port.GatePorts;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The state of a leader's term, discarded at its end. Its parts change through named methods alone;
 * {@link TermInvariants} lists what always holds between events.
 */
public final class Term {
  /** Who looks at pods that have completed does so every few seconds. */
  private static final int MAX_COMPLETED = 500;

  private final long number;
  private final Instant begunAt;
  private final TrackedPods pods = new TrackedPods();
  private final ClusterState cluster;
  private final GrantLedger ledger;
  private final Preemptions preemptions;
  private final AvoidedNodes avoided = new AvoidedNodes();
  private final Neighbourhoods neighbourhoods;
  private final TermInvariants invariants;

  /** Granted pods whose ResourceClaim may be missing, by uid. */
  private final Set<String> unclaimed = new TreeSet<>();

  /** Pods that their scheduler may refuse, by uid. */
  private final Set<String> unschedulable = new TreeSet<>();

  private final Deque<WatchedPod> completed = new ArrayDeque<>();

  public Term(long number, Instant begunAt, GatePorts ports) {
    this.number = number;
    this.begunAt = begunAt;
    cluster = new ClusterState(ports.products(), ports.policies());
    ledger = new GrantLedger(cluster, ports.policies());
    preemptions = new Preemptions(ledger);
    neighbourhoods = new Neighbourhoods(this, ports.policies(), ports.optedIn());
    invariants = new TermInvariants(this, cluster.occupancy());
  }

  public long number() {
    return number;
  }

  public Instant begunAt() {
    return begunAt;
  }

  public TrackedPods pods() {
    return pods;
  }

  public ClusterState cluster() {
    return cluster;
  }

  public GrantLedger ledger() {
    return ledger;
  }

  public Preemptions preemptions() {
    return preemptions;
  }

  public AvoidedNodes avoided() {
    return avoided;
  }

  /** Who shares GPUs, for the guard. */
  public Neighbourhoods neighbourhoods() {
    return neighbourhoods;
  }

  /** The pod is deleted or finished: releases its capacity; later events about it are outdated. */
  public void end(String uid, Instant now) {
    preemptions.forget(uid);
    ledger.release(uid);
    ledger.vacate(uid);
    cluster.placements().remove(uid);
    unclaimed.remove(uid);
    pods.forget(uid, now);
  }

  /** A pod with a grant has completed. */
  public void complete(WatchedPod pod) {
    if (completed.size() == MAX_COMPLETED) {
      completed.removeFirst();
    }
    completed.addLast(pod);
  }

  /** The last pods that have completed, the newest last. */
  public List<WatchedPod> completed() {
    return List.copyOf(completed);
  }

  /** The ResourceClaim of a granted pod may be missing. */
  public void awaitClaim(String uid) {
    unclaimed.add(uid);
  }

  /** Pods whose ResourceClaim may be missing, once. */
  public List<String> takeUnclaimed() {
    List<String> taken = List.copyOf(unclaimed);
    unclaimed.clear();
    return taken;
  }

  /** The scheduler may refuse the pod. */
  public void suspect(String uid) {
    unschedulable.add(uid);
  }

  /** Pods that their scheduler may refuse. */
  public List<String> suspects() {
    return List.copyOf(unschedulable);
  }

  /** The scheduler does not refuse the pod. */
  public void clear(String uid) {
    unschedulable.remove(uid);
  }

  /** The invariants that are broken; empty unless there is a defect. */
  public List<String> brokenInvariants() {
    return invariants.broken();
  }
}
