package dev.cotenant.admission.gate;

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
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Holds pods in a queue, grants them capacity, and ungates them.
 *
 * <p>Plain Java: it has no thread, no clock but the one that it is given, and no Kubernetes type.
 * It is told what there is [{@link GateFeed}], decides when it is asked to [{@link #runCycle}],
 * writes through a port, and learns what became of it in any order. One thread at a time may use
 * it, but for {@link #view}, which all may read.
 *
 * <h2>Never too much</h2>
 *
 * Capacity is held before anything is written and kept until it is certain that its pod does not
 * have it: until the pod is gone or has finished, or until a write proves that the pod is still
 * held and that no earlier write can change that. When a term begins, the same proof is made of
 * every held pod before anything is granted to anybody, for the controller of an earlier term may
 * have had grants on their way; it takes one small patch a held pod. Where such a patch does not
 * work, the pod is looked at once {@link GateSettings#fence} is over.
 *
 * <h2>Not for ever</h2>
 *
 * Every pod that our gate alone holds is decided on whenever capacity may have become free, and is
 * told why it waits; what fails is tried again. A pod that somebody else's gate holds as well gets
 * no capacity yet. Pods that are not to be held any more (mode, namespace, label) are ungated.
 */
public final class GateController implements GateFeed {
  private final GatePorts ports;
  private final GateSettings settings;
  private final Executor inbox;
  private volatile GateView view = GateView.NOT_LEADING;
  private @Nullable Session session;
  private boolean handsOver;

  /** What belongs to one term. */
  private record Session(
      Term term,
      Intake intake,
      Resync resync,
      Deciding deciding,
      SchedulingCycle cycle,
      Reconciler reconciler,
      Views views,
      LeaderStateWriter stateWriter,
      OutOfMemory outOfMemory) {}

  /**
   * @param ports what it needs from outside
   * @param settings how it deals with a cluster that answers late
   * @param inbox runs what it is given on the thread that uses this controller
   */
  public GateController(GatePorts ports, GateSettings settings, Executor inbox) {
    this.ports = ports;
    this.settings = settings;
    this.inbox = inbox;
  }

  /** What was known after the last pass; any thread may ask. */
  public GateView view() {
    return view;
  }

  @Override
  public void begin(
      long term, Collection<WatchedPod> pods, Collection<WatchedNode> nodes, PersistedState kept) {
    session = null; // until all is taken in: nobody decides on less
    handsOver = false;
    view = GateView.NOT_LEADING;
    Session begun = session(new Term(term, ports.clock().instant(), ports));
    Inventory inventory = begun.term().inventory;
    nodes.forEach(inventory::put);
    inventory.refresh(ports.readings().snapshot());
    List<WatchedPod> ordered =
        pods.stream().sorted(java.util.Comparator.comparing(WatchedPod::uid)).toList();
    begun.stateWriter().open(kept.notes());
    ordered.forEach(begun.intake()::listed);
    ordered.forEach(begun.intake()::nameGpus);
    kept.reserved().forEach(begun.intake()::reserved);
    List.copyOf(begun.term().pods.values()).forEach(begun.intake()::settle);
    session = begun;
  }

  private Session session(Term term) {
    Executor inTerm = task -> inbox.execute(() -> inTerm(term, task));
    LeaderStateWriter stateWriter = new LeaderStateWriter(ports, term, inTerm);
    Eligibility eligibility = new Eligibility(term.inventory, term.occupancy);
    Deciding deciding = new Deciding(ports, eligibility, term.claims);
    Writes writes = new Writes(ports, settings, term, inTerm);
    OutOfMemory outOfMemory = new OutOfMemory(ports, settings, term, stateWriter, writes);
    Reconciler reconciler = new Reconciler(ports, settings, term, writes);
    Intake intake = new Intake(ports, term, outOfMemory, stateWriter);
    return new Session(
        term,
        intake,
        new Resync(ports, settings, term, intake, writes),
        deciding,
        new SchedulingCycle(ports, term, deciding, eligibility, writes),
        reconciler,
        new Views(ports, term, reconciler),
        stateWriter,
        outOfMemory);
  }

  /** Answers to writes of an ended term say nothing any more. */
  @SuppressWarnings("ReferenceEquality") // a term is itself only
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
   * Decides on no held pod any more in this term, and notes for the next leader what is not noted.
   *
   * @param noted is run once all is noted, where that works; at once where this process does not
   *     lead
   */
  public void handOver(Runnable noted) {
    Session current = session;
    if (current == null) {
      noted.run();
    } else {
      handsOver = true;
      current.stateWriter().flush(noted);
    }
  }

  @Override
  public void podSeen(long term, WatchedPod pod) {
    in(term).ifPresent(current -> current.intake().seen(pod));
  }

  @Override
  public void podGone(long term, String uid) {
    in(term).ifPresent(current -> current.intake().gone(uid));
  }

  @Override
  public void nodeSeen(long term, WatchedNode node) {
    in(term)
        .ifPresent(current -> {
          boolean isNew = current.term().inventory.node(node.name()).isEmpty();
          current.term().inventory.put(node);
          current.term().occupancy.freedElsewhere();
          if (isNew) {
            current.intake().nodeCame(node.name());
          }
        });
  }

  @Override
  public void nodeGone(long term, String name) {
    in(term).ifPresent(current -> current.term().inventory.remove(name));
  }

  @Override
  public void readingsRefreshed() {
    Session current = session;
    if (current != null) {
      current.term().inventory.refresh(ports.readings().snapshot());
      current.deciding().forgetRequests();
      current.intake().readAgain();
    }
  }

  @Override
  public void policiesChanged() {
    Session current = session;
    if (current != null) {
      current.deciding().forgetRequests();
      current.term().occupancy.freedElsewhere();
    }
  }

  /**
   * Decides about whoever can be decided on, tries again what is due, tells what has changed, and
   * publishes a new {@link #view}.
   *
   * @return how long until there is something to do even if nothing is told; never negative
   */
  public Duration runCycle() {
    Session current = session;
    if (current == null) {
      return Duration.ofMinutes(1);
    }
    Instant now = ports.clock().instant();
    Due due = new Due(now);
    current.reconciler().before(now, due);
    current.resync().look(now, due);
    List<SchedulingCycle.Place> queue = current.cycle().queue(now);
    int unverified = current.term().unverified();
    if (unverified == 0 && !handsOver) {
      current.cycle().decide(queue, now);
    }
    current.reconciler().after(queue, now, due);
    current.outOfMemory().resubmit(now, due);
    current.stateWriter().write(now, due);
    view = current.views().of(queue, now, unverified);
    ports.listener().cycled(Duration.between(now, ports.clock().instant()));
    return due.in();
  }

  /** Counts live pods that opted in and that no webhook has seen, and looks for leaks, at once. */
  public GateView.Health reconcile() {
    Session current = session;
    if (current == null) {
      return GateView.Health.GOOD;
    }
    Instant now = ports.clock().instant();
    current.reconciler().reconcile(now);
    return current.views().health(current.term().unverified());
  }

  /** All GPUs with whoever holds them, as of now; empty where this process does not decide. */
  public Optional<ClusterSnapshot> cluster() {
    return deciding().map(current -> current.term().occupancy.snapshot());
  }

  /**
   * Decides on what all grants leave, and holds what is granted under the claim's token; what the
   * token held before is given back first.
   *
   * @return the decision; empty where this process does not decide
   */
  public Optional<Decision> hold(Claim claim, Function<ClusterSnapshot, Decision> decide) {
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
                    new PodGrant(
                        claim.token(),
                        claim.pod(),
                        admitted,
                        PodGrant.extent(admitted),
                        PodGrant.promised(admitted),
                        now,
                        new PodGrant.Held(now.plus(settings.hold()))));
          }
          return decision;
        });
  }

  /** The number of the term; empty where this process does not decide. */
  public Optional<Long> term() {
    return deciding().map(current -> current.term().number);
  }

  /** What stands under a token, or was taken by a pod; empty where nothing does. */
  public Optional<PodGrant> find(String token) {
    return deciding()
        .flatMap(current -> {
          current.term().grants.lapse(ports.clock().instant());
          return current
              .term()
              .grants
              .find(token)
              .or(() -> current.term().holderOf(token).flatMap(current.term().grants::find));
        });
  }

  /** Makes what a token holds a pod's; whether it is. Repeating it is harmless. */
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
    if (current.term().grants.find(uid).isPresent() || (known != null && known.isOffFrom(grant))) {
      return false; // it has capacity already, or went elsewhere
    }
    current.term().grants.release(token);
    current.term().tokenHolders.put(uid, token);
    current
        .term()
        .grants
        .put(
            new PodGrant(
                uid,
                pod,
                grant.admitted(),
                grant.extent(),
                grant.promised(),
                grant.grantedAt(),
                new PodGrant.Bound()));
    if (known != null) {
      current.intake().settle(known);
    }
    return true;
  }

  /**
   * Gives back what a token holds, a pod's as well; whether it held something. What a pod may be on
   * its way to stays its own until it is certain that it is not.
   */
  public boolean release(String token) {
    Session current = session;
    if (current == null) {
      return false;
    }
    String key = current.term().holderOf(token).orElse(token);
    current.term().tokenHolders.remove(key);
    TrackedPod pod = current.term().find(key);
    if (pod != null && pod.mayBeOnItsWay()) {
      return current.intake().doubt(key);
    }
    boolean held = current.term().grants.release(key);
    if (held && pod != null) {
      current.intake().settle(pod); // it may run on without a grant
    }
    return held;
  }

  private Optional<Session> deciding() {
    return Optional.ofNullable(session).filter(current -> current.term().unverified() == 0);
  }

  /** Those of these tokens under which nothing stands; empty where this process does not decide. */
  public Optional<Set<String>> gone(Collection<String> tokens) {
    return deciding()
        .map(current -> {
          Term term = current.term();
          term.grants.lapse(ports.clock().instant());
          Set<String> gone = new HashSet<>(tokens);
          for (PodGrant grant : term.grants.all()) {
            gone.remove(grant.key());
            gone.remove(term.tokenHolders.getOrDefault(grant.key(), grant.key()));
          }
          return gone;
        });
  }
}
