package dev.cotenant.admission.gate;

import dev.cotenant.admission.cluster.ClusterChange;
import dev.cotenant.admission.cluster.WatchedNode;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.cycle.Bindings;
import dev.cotenant.admission.gate.port.GatePorts;
import dev.cotenant.admission.gate.port.GateSettings;
import dev.cotenant.admission.gate.port.NodeDecisions;
import dev.cotenant.admission.gate.state.Due;
import dev.cotenant.admission.gate.state.Term;
import dev.cotenant.admission.guard.Sample;
import dev.cotenant.admission.ledger.CapacityRequest;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.state.LeaderState.MemoryShortage;
import dev.cotenant.admission.state.PersistedState;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.decision.Decision;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
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
    begun.begin(listed, persisted);
    session = begun;
  }

  private Session session(Term term) {
    return new Session(ports, settings, term, task -> inbox.execute(() -> inTerm(term, task)));
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
    return Optional.ofNullable(session).filter(current -> current.term().number() == term);
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
      current.flush(persisted);
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
    in(term).ifPresent(current -> current.seen(node));
  }

  @Override
  public void nodeGone(long term, String name) {
    in(term).ifPresent(current -> current.term().cluster().removeNode(name));
  }

  @Override
  public void changed(long term, ClusterChange change) {
    in(term).ifPresent(current -> current.term().cluster().apply(change));
  }

  @Override
  public void readingsRefreshed() {
    Session current = session;
    if (current != null) {
      current.measured();
    }
  }

  @Override
  public void policiesChanged() {
    Session current = session;
    if (current != null) {
      current.policiesChanged();
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
    view = handingOver ? current.cycleWithoutDecisions(now, due) : current.cycle(now, due);
    ports.listener().cycled(Duration.between(now, ports.clock().instant()));
    return due.in();
  }

  /** Speeds or latencies of pods were measured; nothing where this process does not decide. */
  public void measured(List<Sample> samples) {
    deciding().ifPresent(current -> current.measured(samples));
  }

  /**
   * Servers of language models serve, so that their memory has settled; nothing where this process
   * does not decide.
   *
   * @param seen time of the observation by uid of the pod
   */
  public void serving(Map<String, Instant> seen) {
    deciding().ifPresent(current -> current.serving(seen));
  }

  /** Counts unmanaged pods and grant leaks now. */
  public GateView.Health reconcile() {
    Session current = session;
    return current == null ? GateView.Health.GOOD : current.reconcile(ports.clock().instant());
  }

  /** Broken invariants of the state; any is a defect. */
  public List<String> brokenInvariants() {
    Session current = session;
    return current == null ? List.of() : current.term().brokenInvariants();
  }

  /** All GPUs with their tenants; empty where this process does not decide. */
  public Optional<ClusterSnapshot> cluster() {
    return deciding().map(current -> current.term().cluster().snapshot());
  }

  /**
   * Releases the grant of the request's admission id, decides on what all other grants leave, and
   * allocates the admitted capacity under the admission id.
   *
   * @return the decision; empty where this process does not decide
   */
  public Optional<Decision> allocate(
      CapacityRequest capacityRequest, Function<ClusterSnapshot, Decision> decide) {
    return deciding().map(current -> current.admissionGrants().allocate(capacityRequest, decide));
  }

  /** The number of the term; empty where this process does not decide. */
  public Optional<Long> term() {
    return deciding().map(current -> current.term().number());
  }

  /** The out-of-memory failures that count; empty where this process does not decide. */
  public Optional<List<MemoryShortage>> shortages() {
    return deciding().map(current -> current.stateWriter().shortages());
  }

  /**
   * Forgets the out-of-memory failures of a namespace.
   *
   * @param model of these alone; null for all
   * @return how many configurations had any, once that is persisted; empty at once where this
   *     process does not decide
   */
  public Optional<CompletableFuture<Integer>> forgetShortages(
      String namespace, @Nullable String model) {
    return deciding()
        .map(current -> {
          CompletableFuture<Integer> persisted = new CompletableFuture<>();
          int[] forgotten = new int[1];
          forgotten[0] =
              current
                  .stateWriter()
                  .forget(namespace, model, () -> persisted.complete(forgotten[0]));
          return persisted;
        });
  }

  /** The grant of an admission id, or of the pod that took it; empty without one. */
  public Optional<PodGrant> find(String admissionId) {
    return deciding().flatMap(current -> current.admissionGrants().find(admissionId));
  }

  /** Decides about a pod on each node separately; empty unless this process leads. */
  public Optional<NodeDecisions> decide(String uid, Collection<String> nodes) {
    return deciding().map(current -> current.nodeFits().decide(uid, nodes));
  }

  /**
   * Nodes on which a pod fits without their victims; empty where this process does not decide.
   *
   * @param victims uids of pods, by node
   */
  public Optional<Set<String>> fitsWithout(String uid, Map<String, Set<String>> victims) {
    return deciding().map(current -> current.nodeFits().fitsWithout(uid, victims));
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
          current.bindings().bind(new Bindings.BindCall(pod, uid, node, outcome::complete));
          return outcome;
        });
  }

  /** Binds the grant of an admission id to a pod; whether the pod has it. Idempotent. */
  public boolean confirm(String admissionId, PodIdentity pod, String uid) {
    return deciding()
        .map(current -> current.admissionGrants().confirm(admissionId, pod, uid))
        .orElse(false);
  }

  /**
   * Releases the grant of an admission id or of its pod; whether there was one. The grant of a pod
   * with an ungate in flight stays until the pod's state is known.
   */
  public boolean release(String admissionId) {
    Session current = session;
    return current != null && current.admissionGrants().release(admissionId);
  }

  private Optional<Session> deciding() {
    return Optional.ofNullable(session).filter(Session::isDeciding);
  }

  /** The admission ids without a grant; empty where this process does not decide. */
  public Optional<Set<String>> gone(Collection<String> ids) {
    return deciding().map(current -> current.admissionGrants().gone(ids));
  }
}
