package dev.cotenant.admission.gate;

import dev.cotenant.admission.cluster.ClusterChange;
import dev.cotenant.admission.cluster.WatchedNode;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.inventory.Eligibility;
import dev.cotenant.admission.inventory.Inventory;
import dev.cotenant.admission.ledger.Claim;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.state.PersistedState;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.decision.Decision;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Queues gated pods, grants them capacity and ungates them.
 *
 * <p>Plain Java without threads, Kubernetes types or a clock of its own. Input comes as events
 * [{@link GateFeed}], {@link #runCycle} decides, writes go through a port, and their results come
 * back in any order. One thread at a time uses it; {@link #view} is for all threads.
 *
 * <h2>Safety</h2>
 *
 * Capacity is allocated before any write, and released only when its pod cannot have it: the pod is
 * gone or finished, or a write proves that the pod is still gated and that no earlier write can
 * change that. At the begin of a term every gated pod gets this proof, one small patch, before any
 * grant, because writes of the earlier term may be in flight. Where the patch fails, the pod is
 * read again after {@link GateSettings#fence}.
 *
 * <h2>Liveness</h2>
 *
 * Every pod with our gate alone is decided on whenever capacity may have become free, and its
 * status report has the reasons; failed writes are retried. A pod with further gates gets no
 * capacity yet. A pod that its mode, namespace or label no longer gates is ungated.
 */
public final class GateController implements GateFeed {
  private final GatePorts ports;
  private final GateSettings settings;
  private final Executor inbox;
  private volatile GateView view = GateView.NOT_LEADING;
  private @Nullable Session session;
  private boolean handingOver;

  /** The state of one term. */
  private record Session(
      Term term,
      PodEvents podEvents,
      Resync resync,
      Deciding deciding,
      SchedulingCycle cycle,
      Reconciler reconciler,
      Views views,
      LeaderStateWriter stateWriter,
      UnschedulablePods unschedulable,
      Resubmissions resubmissions,
      SchedulerCalls schedulerCalls,
      Deciding besideBound) {
    void forgetRequests() {
      deciding.forgetRequests();
      besideBound.forgetRequests();
    }
  }

  /**
   * @param ports the dependencies
   * @param settings timeouts and retries
   * @param inbox runs tasks on the controller's thread
   */
  public GateController(GatePorts ports, GateSettings settings, Executor inbox) {
    this.ports = ports;
    this.settings = settings;
    this.inbox = inbox;
  }

  /** The state after the last scheduling cycle; for all threads. */
  public GateView view() {
    return view;
  }

  @Override
  public void begin(long term, Listed listed, PersistedState persisted) {
    session = null; // no decisions before the state is complete
    handingOver = false;
    view = GateView.NOT_LEADING;
    Session begun = session(new Term(term, ports.clock().instant(), ports));
    Inventory inventory = begun.term().inventory;
    listed.nodes().forEach(inventory::put);
    listed.others().forEach(begun.term()::apply);
    inventory.refresh(ports.readings().snapshot());
    List<WatchedPod> ordered =
        listed.pods().stream().sorted(java.util.Comparator.comparing(WatchedPod::uid)).toList();
    begun.stateWriter().open(persisted.state());
    ordered.forEach(begun.podEvents()::listed);
    ordered.forEach(begun.podEvents()::nameGpus);
    persisted.reserved().forEach(begun.podEvents()::reserved);
    List.copyOf(begun.term().pods.values()).forEach(begun.podEvents()::settle);
    session = begun;
  }

  private Session session(Term term) {
    Executor inTerm = task -> inbox.execute(() -> inTerm(term, task));
    LeaderStateWriter stateWriter = new LeaderStateWriter(ports, term, inTerm);
    Eligibility eligibility = new Eligibility(term.inventory, term.occupancy, term.fit);
    Deciding deciding = new Deciding(ports, eligibility, term);
    Writes writes = new Writes(ports, settings, term, inTerm);
    Resubmissions resubmissions = new Resubmissions(ports, settings, term, stateWriter, writes);
    OutOfMemory outOfMemory = new OutOfMemory(ports, stateWriter, resubmissions);
    Reconciler reconciler = new Reconciler(ports, settings, term, writes);
    PodEvents podEvents = new PodEvents(ports, term, outOfMemory, stateWriter);
    Deciding besideBound =
        new Deciding(ports, Eligibility.byGpus(term.inventory, term.occupancy.bound()), term);
    return new Session(
        term,
        podEvents,
        new Resync(ports, settings, term, podEvents, writes),
        deciding,
        new SchedulingCycle(ports, settings, term, deciding, eligibility, writes),
        reconciler,
        new Views(ports, term, reconciler),
        stateWriter,
        new UnschedulablePods(ports, settings, term, writes, resubmissions),
        resubmissions,
        new SchedulerCalls(ports, term, besideBound, podEvents, writes),
        besideBound);
  }

  /** Runs the result of a write; results of an ended term are dropped. */
  @SuppressWarnings("ReferenceEquality") // terms have identity
  private void inTerm(Term term, Runnable task) {
    Session current = session;
    if (current != null && current.term() == term) {
      task.run();
    }
  }

  private Optional<Session> in(long term) {
    return Optional.ofNullable(session).filter(current -> current.term().number == term);
  }

  @Override
  public void end(long term) {
    if (in(term).isPresent()) {
      session = null;
      view = GateView.NOT_LEADING;
    }
  }

  /**
   * Stops decisions in this term and persists the leader state.
   *
   * @param persisted runs after a successful write; at once where this process does not lead
   */
  public void handOver(Runnable persisted) {
    Session current = session;
    if (current == null) {
      persisted.run();
    } else {
      handingOver = true;
      current.stateWriter().flush(persisted);
    }
  }

  @Override
  public void podSeen(long term, WatchedPod pod) {
    in(term).ifPresent(current -> current.podEvents().seen(pod));
  }

  @Override
  public void podGone(long term, String uid) {
    in(term).ifPresent(current -> current.podEvents().gone(uid));
  }

  @Override
  public void nodeSeen(long term, WatchedNode node) {
    in(term)
        .ifPresent(current -> {
          boolean isNew = current.term().inventory.node(node.name()).isEmpty();
          current.term().inventory.put(node);
          current.term().occupancy.freedElsewhere();
          if (isNew) {
            current.podEvents().nodeAdded(node.name());
          }
        });
  }

  @Override
  public void nodeGone(long term, String name) {
    in(term).ifPresent(current -> current.term().inventory.remove(name));
  }

  @Override
  public void changed(long term, ClusterChange change) {
    in(term).ifPresent(current -> current.term().apply(change));
  }

  @Override
  public void readingsRefreshed() {
    Session current = session;
    if (current != null) {
      current.term().inventory.refresh(ports.readings().snapshot());
      current.forgetRequests();
      current.podEvents().rereadGrants();
    }
  }

  @Override
  public void policiesChanged() {
    Session current = session;
    if (current != null) {
      current.forgetRequests();
      current.term().occupancy.freedElsewhere();
    }
  }

  /**
   * Decides about all pods that can be decided on, retries, reports changes, and publishes a new
   * {@link #view}.
   *
   * @return time until the next cycle without further events; never negative
   */
  public Duration runCycle() {
    Session current = session;
    if (current == null) {
      return Duration.ofMinutes(1);
    }
    Instant now = ports.clock().instant();
    Due due = new Due(now);
    current.reconciler().before(now, due);
    current.resync().read(now, due);
    List<SchedulingCycle.QueuedPod> queue = current.cycle().queue(now);
    int unverified = current.term().unverified();
    if (unverified == 0 && !handingOver) {
      current.cycle().decide(queue, now, due);
    }
    current.reconciler().after(queue, now, due);
    current.unschedulable().check(now, due);
    current.resubmissions().run(now, due);
    current.stateWriter().write(now, due);
    view = current.views().of(queue, now, unverified);
    ports.listener().cycled(Duration.between(now, ports.clock().instant()));
    return due.in();
  }

  /** Counts unmanaged pods and grant leaks now. */
  public GateView.Health reconcile() {
    Session current = session;
    if (current == null) {
      return GateView.Health.GOOD;
    }
    Instant now = ports.clock().instant();
    current.reconciler().reconcile(now);
    return current.views().health(current.term().unverified());
  }

  /** All GPUs with their tenants; empty where this process does not decide. */
  public Optional<ClusterSnapshot> cluster() {
    return deciding().map(current -> current.term().occupancy.snapshot());
  }

  /**
   * Releases the grant of the claim's token, decides on what all other grants leave, and allocates
   * the admitted capacity under the token.
   *
   * @return the decision; empty where this process does not decide
   */
  public Optional<Decision> allocate(Claim claim, Function<ClusterSnapshot, Decision> decide) {
    return deciding()
        .map(current -> {
          release(claim.token());
          Decision decision = decide.apply(current.term().occupancy.snapshot());
          if (decision instanceof Decision.Admitted admitted) {
            Instant now = ports.clock().instant();
            current
                .term()
                .grants
                .put(
                    PodGrant.of(claim.token(), claim.pod(), admitted, now)
                        .in(new PodGrant.Allocated(now.plus(settings.hold()))));
          }
          return decision;
        });
  }

  /** The number of the term; empty where this process does not decide. */
  public Optional<Long> term() {
    return deciding().map(current -> current.term().number);
  }

  /** The grant of a token, or of the pod that took it; empty without one. */
  public Optional<PodGrant> find(String token) {
    return deciding()
        .flatMap(current -> {
          current.term().grants.expire(ports.clock().instant());
          return current
              .term()
              .grants
              .find(token)
              .or(() -> current.term().holderOf(token).flatMap(current.term().grants::find));
        });
  }

  /** Decides about a pod on each of these nodes alone; empty where this process does not decide. */
  public Optional<NodeDecisions> decide(String uid, Collection<String> nodes) {
    return deciding().map(current -> current.schedulerCalls().decide(uid, nodes));
  }

  /**
   * Nodes on which a pod fits without their victims; empty where this process does not decide.
   *
   * @param victims uids of pods, by node
   */
  public Optional<Set<String>> fitsWithout(String uid, Map<String, Set<String>> victims) {
    return deciding().map(current -> current.schedulerCalls().fitsWithout(uid, victims));
  }

  /**
   * Binds a pod to the node that its scheduler chose.
   *
   * @return why it is not bound, empty where it is; empty at once where this process does not
   *     decide
   */
  public Optional<CompletableFuture<Optional<String>>> bind(
      PodIdentity pod, String uid, String node) {
    return deciding()
        .map(current -> {
          CompletableFuture<Optional<String>> outcome = new CompletableFuture<>();
          current
              .schedulerCalls()
              .bind(new SchedulerCalls.BindCall(pod, uid, node, outcome::complete));
          return outcome;
        });
  }

  /** Binds the grant of a token to a pod; whether the pod has it. Idempotent. */
  public boolean confirm(String token, PodIdentity pod, String uid) {
    Session current = deciding().orElse(null);
    PodGrant grant = find(token).orElse(null);
    if (current == null || grant == null || current.term().isGone(uid)) {
      return false;
    }
    if (!grant.key().equals(token)) {
      return grant.key().equals(uid);
    }
    TrackedPod known = current.term().find(uid);
    if (current.term().grants.find(uid).filter(held -> !held.isNomination()).isPresent()
        || (known != null && known.isElsewhereThan(grant))) {
      return false; // the pod has a grant already, or is on another node
    }
    current.term().grants.release(token);
    current.term().tokenHolders.put(uid, token);
    current.term().grants.put(grant.boundTo(uid, pod));
    if (known != null) {
      current.podEvents().settle(known);
    }
    return true;
  }

  /**
   * Releases the grant of a token or of its pod; whether there was one. The grant of a pod with an
   * ungate in flight stays until the pod's state is known.
   */
  public boolean release(String token) {
    Session current = session;
    if (current == null) {
      return false;
    }
    String key = current.term().holderOf(token).orElse(token);
    current.term().tokenHolders.remove(key);
    TrackedPod pod = current.term().find(key);
    if (pod != null && pod.mayHaveUngateInFlight()) {
      return current.podEvents().markUnconfirmed(key);
    }
    boolean released = current.term().grants.release(key);
    if (released && pod != null) {
      current.podEvents().settle(pod); // it may run without a grant
    }
    return released;
  }

  private Optional<Session> deciding() {
    return Optional.ofNullable(session).filter(current -> current.term().unverified() == 0);
  }

  /** The tokens without a grant; empty where this process does not decide. */
  public Optional<Set<String>> gone(Collection<String> tokens) {
    return deciding()
        .map(current -> {
          Term term = current.term();
          term.grants.expire(ports.clock().instant());
          Set<String> gone = new HashSet<>(tokens);
          for (PodGrant grant : term.grants.all()) {
            gone.remove(grant.key());
            gone.remove(term.tokenHolders.getOrDefault(grant.key(), grant.key()));
          }
          return gone;
        });
  }
}
