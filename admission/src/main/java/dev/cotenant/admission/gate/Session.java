package dev.cotenant.admission.gate;

import dev.cotenant.admission.cluster.WatchedNode;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.cycle.Bindings;
import dev.cotenant.admission.gate.cycle.Deciding;
import dev.cotenant.admission.gate.cycle.GateQueue;
import dev.cotenant.admission.gate.cycle.NodeFits;
import dev.cotenant.admission.gate.cycle.QueuedPod;
import dev.cotenant.admission.gate.cycle.SchedulingCycle;
import dev.cotenant.admission.gate.cycle.StartingEngines;
import dev.cotenant.admission.gate.cycle.StatusReports;
import dev.cotenant.admission.gate.events.LiveReads;
import dev.cotenant.admission.gate.events.PodEvents;
import dev.cotenant.admission.gate.persistence.LeaderStateWriter;
import dev.cotenant.admission.gate.port.GatePorts;
import dev.cotenant.admission.gate.port.GateSettings;
import dev.cotenant.admission.gate.state.Due;
import dev.cotenant.admission.gate.state.Term;
import dev.cotenant.admission.gate.write.EngineBounds;
import dev.cotenant.admission.gate.write.Guarding;
import dev.cotenant.admission.gate.write.MeasuredLoads;
import dev.cotenant.admission.gate.write.OutOfMemory;
import dev.cotenant.admission.gate.write.Profiles;
import dev.cotenant.admission.gate.write.Reconciler;
import dev.cotenant.admission.gate.write.Resubmissions;
import dev.cotenant.admission.gate.write.UngateReports;
import dev.cotenant.admission.gate.write.UnschedulablePods;
import dev.cotenant.admission.gate.write.Writes;
import dev.cotenant.admission.guard.Sample;
import dev.cotenant.admission.inventory.Eligibility;
import dev.cotenant.admission.state.PersistedState;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;

/** One term of this process: its state, and the parts that work on it. */
final class Session {
  private final GatePorts ports;
  private final Term term;
  private final LeaderStateWriter stateWriter;
  private final StartingEngines starting;
  private final Deciding deciding;
  private final Deciding besideBound;
  private final PodEvents podEvents;
  private final LiveReads liveReads;
  private final GateQueue queue;
  private final SchedulingCycle cycle;
  private final StatusReports reports;
  private final Reconciler reconciler;
  private final UnschedulablePods unschedulable;
  private final Profiles profiles;
  private final MeasuredLoads loads;
  private final Guarding guarding;
  private final EngineBounds engineBounds;
  private final Resubmissions resubmissions;
  private final NodeFits nodeFits;
  private final Bindings bindings;
  private final AdmissionGrants admissionGrants;
  private final Views views;

  /**
   * @param inTerm runs tasks on the controller's thread during the term
   */
  Session(GatePorts ports, GateSettings settings, Term term, Executor inTerm) {
    this.ports = ports;
    this.term = term;
    Eligibility eligibility = term.cluster().eligibility();
    stateWriter = new LeaderStateWriter(ports, term, inTerm);
    starting = new StartingEngines(term, ports.clock());
    deciding = new Deciding(ports, eligibility, term, starting);
    besideBound = new Deciding(ports, term.cluster().boundEligibility(), term, starting);
    UngateReports ungateReports = new UngateReports(ports);
    Writes writes = new Writes(ports, settings, term, ungateReports, inTerm);
    resubmissions = new Resubmissions(ports, settings, term, stateWriter, writes);
    OutOfMemory outOfMemory = new OutOfMemory(ports, stateWriter, resubmissions);
    podEvents = new PodEvents(ports, term, outOfMemory, stateWriter, ungateReports);
    liveReads = new LiveReads(ports, settings, term, podEvents, writes);
    queue = new GateQueue(ports, term, deciding);
    cycle = new SchedulingCycle(ports, settings, term, deciding, eligibility, writes);
    reports = new StatusReports(ports, settings, term, writes);
    reconciler = new Reconciler(ports, settings, term, writes);
    profiles = new Profiles(ports, term, writes);
    loads = new MeasuredLoads(ports, term, writes);
    guarding = new Guarding(ports, term, stateWriter, writes);
    engineBounds = new EngineBounds(ports, term);
    unschedulable = new UnschedulablePods(ports, settings, term, writes, resubmissions);
    nodeFits = new NodeFits(ports, term, besideBound);
    bindings = new Bindings(ports, term, besideBound, nodeFits, podEvents, writes);
    admissionGrants = new AdmissionGrants(ports, settings, term, podEvents);
    views = new Views(ports, term, reconciler, profiles);
  }

  /** Takes in the cluster and the state of earlier leaders. */
  void begin(GateFeed.Listed listed, PersistedState persisted) {
    listed.nodes().forEach(term.cluster()::put);
    listed.others().forEach(term.cluster()::apply);
    ClusterSnapshot readings = ports.readings().snapshot();
    term.cluster().measure(readings);
    List<WatchedPod> ordered =
        listed.pods().stream().sorted(Comparator.comparing(WatchedPod::uid)).toList();
    stateWriter.open(persisted.state());
    ordered.forEach(podEvents::listed);
    ordered.forEach(podEvents::nameGpus);
    persisted.reserved().forEach(podEvents::reserved);
    List.copyOf(term.pods().all()).forEach(podEvents::settle);
    starting.measured(readings);
    engineBounds.raise();
    guarding.open();
  }

  Term term() {
    return term;
  }

  PodEvents podEvents() {
    return podEvents;
  }

  NodeFits nodeFits() {
    return nodeFits;
  }

  Bindings bindings() {
    return bindings;
  }

  AdmissionGrants admissionGrants() {
    return admissionGrants;
  }

  /** Whether the ledger is complete. */
  boolean isDeciding() {
    return term.pods().unverified() == 0;
  }

  /** A node is new or has changed. */
  void seen(WatchedNode node) {
    boolean isNew = term.cluster().put(node);
    term.cluster().freedElsewhere();
    if (isNew) {
      podEvents.nodeAdded(node.name());
    }
  }

  /** Metrics are new. */
  void measured() {
    ClusterSnapshot readings = ports.readings().snapshot();
    term.cluster().measure(readings);
    starting.measured(readings);
    guarding.measured(readings);
    engineBounds.raise();
    forgetRequests();
    podEvents.rereadGrants();
    ports.decider().prepare(term.cluster().snapshot());
  }

  /** Servers of language models serve, by uid and when that was seen. */
  void serving(Map<String, Instant> seen) {
    starting.serving(seen);
  }

  /** Speeds or latencies of pods are new. */
  void measured(List<Sample> samples) {
    guarding.count(samples);
  }

  /** Namespaces or policies have changed. */
  void policiesChanged() {
    forgetRequests();
    term.cluster().freedElsewhere();
  }

  private void forgetRequests() {
    deciding.forgetRequests();
    besideBound.forgetRequests();
    nodeFits.forget();
  }

  /** One scheduling cycle that decides; the view after it. */
  GateView cycle(Instant now, Due due) {
    deciding.beginCycle();
    List<QueuedPod> queued = prepare(now, due);
    int unverified = term.pods().unverified();
    if (unverified == 0) {
      cycle.decide(queued, now, due);
    }
    return conclude(queued, unverified, due, now);
  }

  /** A scheduling cycle without decisions, for the next leader; the view after it. */
  GateView cycleWithoutDecisions(Instant now, Due due) {
    List<QueuedPod> queued = prepare(now, due);
    return conclude(queued, term.pods().unverified(), due, now);
  }

  private List<QueuedPod> prepare(Instant now, Due due) {
    reconciler.before(now, due);
    profiles.advance(now, due);
    loads.advance(now, due);
    guarding.advance(now, due);
    liveReads.read(now, due);
    starting.before(now, due);
    return queue.inOrder(now);
  }

  private GateView conclude(List<QueuedPod> queued, int unverified, Due due, Instant now) {
    reports.write(queued, now, due);
    unschedulable.check(now, due);
    resubmissions.run(now, due);
    stateWriter.write(now, due);
    return views.of(queued, now, unverified);
  }

  /** Persists the leader state; runs the task after a successful write. */
  LeaderStateWriter stateWriter() {
    return stateWriter;
  }

  void flush(Runnable persisted) {
    stateWriter.flush(persisted);
  }

  /** Counts unmanaged pods and grant leaks now. */
  GateView.Health reconcile(Instant now) {
    reconciler.reconcile(now);
    return views.health(term.pods().unverified());
  }
}
