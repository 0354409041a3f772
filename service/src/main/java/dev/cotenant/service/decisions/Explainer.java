package dev.cotenant.service.decisions;

import dev.cotenant.admission.decision.DecisionRecord;
import dev.cotenant.admission.decision.LargestBatch;
import dev.cotenant.admission.decision.LargestBatch.Fit;
import dev.cotenant.admission.decision.PodDecisions;
import dev.cotenant.admission.gate.GateView;
import dev.cotenant.admission.gate.GateView.Holding;
import dev.cotenant.admission.gate.GateView.Waiting;
import dev.cotenant.admission.ledger.GrantState;
import dev.cotenant.admission.ledger.Ledger;
import dev.cotenant.admission.ledger.LedgerEntry;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.review.Intent;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.service.cluster.Control;
import dev.cotenant.service.cluster.GrantAudit;
import dev.cotenant.service.decisions.Explanation.Standing;
import dev.cotenant.service.decisions.Explanation.Subject;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Says why pods wait and what others were granted: from what the controller knows where there is
 * one, else from the ledger of this process and the decisions in its history.
 */
public final class Explainer {
  private final Control control;
  private final PodDecisions decisions;
  private final Memory memory;
  private final InstantSource clock;

  /** Grants and decisions of this process, and the review of active grants. */
  public record Memory(Ledger ledger, DecisionHistory history, GrantAudit reviews) {}

  public Explainer(Control control, PodDecisions decisions, Memory memory, InstantSource clock) {
    this.control = control;
    this.decisions = decisions;
    this.memory = memory;
    this.clock = clock;
  }

  /**
   * Gated pods in the order of decision.
   *
   * @param term the leader's; null where the webhook decides, so that no pod is held
   */
  public record Queue(@Nullable Long term, List<Explanation> waiting) {}

  /**
   * The queue, as of now.
   *
   * @param wanted selects pods; ranks count all pods
   * @throws dev.cotenant.admission.capacity.NotLeadingException where another process leads
   */
  public Queue queue(Predicate<PodIdentity> wanted) {
    GateView view = control.view().orElse(null);
    if (view == null) {
      return new Queue(null, List.of());
    }
    ClusterSnapshot cluster = control.capacity().withGrants();
    return new Queue(
        view.term(),
        view.queue().stream()
            .filter(waiting -> wanted.test(waiting.pod().pod()))
            .map(pod -> explain(pod, cluster, null))
            .toList());
  }

  /** All pods that wait, in their order. */
  public List<PodIdentity> waiting() {
    return control.view().stream()
        .flatMap(view -> view.queue().stream())
        .map(waiting -> waiting.pod().pod())
        .toList();
  }

  /**
   * About one pod.
   *
   * @throws InputException ({@code unknown-pod}) that says what to look at
   * @throws dev.cotenant.admission.capacity.NotLeadingException where another process leads
   */
  public Explanation explain(PodIdentity pod) {
    Optional<GateView> view = control.view();
    ClusterSnapshot cluster = control.capacity().withGrants();
    return view.flatMap(known -> known.waiting(pod).map(waiting -> waiting(waiting, cluster)))
        .or(() -> view.flatMap(known -> holding(known, pod)).map(held -> granted(held, cluster)))
        .or(() -> inLedger(pod).map(entry -> granted(entry, cluster)))
        .or(() -> past(pod).map(record -> decided(record, cluster)))
        .orElseThrow(() -> unknown(pod));
  }

  private Policy policy(PodIdentity pod) {
    return control.policies().get().of(pod.namespace());
  }

  private Explanation waiting(Waiting waiting, ClusterSnapshot cluster) {
    @Nullable Fit fits =
        waiting.pod().request() instanceof Colocatable requested
            ? LargestBatch.below(requested, decide(waiting.decision(), cluster)).orElse(null)
            : null;
    return explain(waiting, cluster, fits);
  }

  /** Nodes that the last decision excluded take no other batch either. */
  private Function<Colocatable, Decision> decide(@Nullable Decision last, ClusterSnapshot cluster) {
    ClusterSnapshot eligible = last == null ? cluster : withoutExcluded(cluster, last);
    return pod -> decisions.prepare(pod, eligible).on(eligible);
  }

  private static ClusterSnapshot withoutExcluded(ClusterSnapshot cluster, Decision last) {
    Set<String> excluded =
        last.reasons().stream()
            .filter(Reason.NodeExcluded.class::isInstance)
            .map(reason -> ((Reason.NodeExcluded) reason).node())
            .collect(Collectors.toSet());
    return excluded.isEmpty()
        ? cluster
        : cluster.part(
            cluster.gpus().stream().filter(gpu -> !excluded.contains(gpu.node())).toList());
  }

  private Explanation explain(Waiting waiting, ClusterSnapshot cluster, @Nullable Fit fits) {
    @Nullable Colocatable requested =
        waiting.pod().request() instanceof Colocatable pod ? pod : null;
    return new Explanation(
        waiting.pod().pod(),
        new Standing.Waiting(waiting.rank(), waiting.patience()),
        waiting.since(),
        policy(waiting.pod().pod()),
        new Subject(requested, waiting.request(), waiting.decision(), waiting.decidedAt()),
        cluster,
        fits);
  }

  private static Optional<Holding> holding(GateView view, PodIdentity pod) {
    return view.granted().entrySet().stream()
        .filter(entry -> entry.getKey().isNamed(pod))
        .map(Map.Entry::getValue)
        .findFirst();
  }

  private Explanation granted(Holding held, ClusterSnapshot cluster) {
    PodIdentity pod = held.pod().pod();
    @Nullable Colocatable requested = held.pod().request() instanceof Colocatable one ? one : null;
    return new Explanation(
        pod,
        granted(pod, held.state(), held.decision()),
        held.pod().life().createdAt(),
        policy(pod),
        Subject.granted(requested, held.decision()),
        cluster,
        null,
        considered(requested, held.decision(), cluster));
  }

  /** The model may not be known any more, or the pod not be one that shares. */
  private List<Considered> considered(
      @Nullable Colocatable requested, Decision.Admitted admitted, ClusterSnapshot cluster) {
    if (requested == null) {
      return List.of();
    }
    Set<String> own = admitted.grants().stream().map(Grant::gpuUuid).collect(Collectors.toSet());
    return Considered.of(cluster, own, decisions.prepare(requested, cluster)::on);
  }

  private Standing granted(PodIdentity pod, GrantState state, Decision.Admitted admitted) {
    return new Standing.Granted(state, memory.reviews().of(pod.toString(), admitted).orElse(null));
  }

  private Optional<LedgerEntry> inLedger(PodIdentity pod) {
    return memory.ledger().entries().stream()
        .filter(entry -> isMeant(entry.capacityRequest().pod(), pod))
        .findFirst();
  }

  private Explanation granted(LedgerEntry entry, ClusterSnapshot cluster) {
    PodIdentity pod = entry.capacityRequest().pod();
    return new Explanation(
        pod,
        granted(pod, entry.state().name(), entry.admitted()),
        entry.since(),
        policy(pod),
        Subject.granted(entry.capacityRequest().request(), entry.admitted()),
        cluster,
        null,
        considered(entry.capacityRequest().request(), entry.admitted(), cluster));
  }

  private Optional<DecisionRecord> past(PodIdentity pod) {
    return memory
        .history()
        .newest(1, record -> record.intent() == Intent.REAL && isMeant(record.pod(), pod))
        .stream()
        .findFirst();
  }

  /** Matches by name; for a pod without a name yet, by its prefix or its form in lists. */
  private static boolean isMeant(PodIdentity known, PodIdentity named) {
    String prefix = known.generateName();
    return known.isNamed(named)
        || known.toString().equals(named.toString())
        || (known.name() == null
            && prefix != null
            && known.namespace().equals(named.namespace())
            && String.valueOf(named.name()).startsWith(prefix));
  }

  private Explanation decided(DecisionRecord record, ClusterSnapshot cluster) {
    boolean refused = !(record.decision() instanceof Decision.Admitted);
    return new Explanation(
        record.pod(),
        new Standing.Past(),
        record.at(),
        policy(record.pod()),
        new Subject(
            record.podRequest(), record.request(), record.decision(), refused ? record.at() : null),
        cluster,
        refused
            ? LargestBatch.now(record.podRequest(), decide(record.decision(), cluster)).orElse(null)
            : null);
  }

  private InputException unknown(PodIdentity pod) {
    Policy policy = policy(pod);
    return InputException.notFound(
        "unknown-pod",
        "No decision or grant of pod '"
            + pod
            + "' is known: check its name, that it requests a GPU, that its namespace has the label"
            + " cotenant.dev/colocation=enabled and the pod none that says disabled"
            + what(policy));
  }

  private String what(Policy policy) {
    String name = "; policy '" + policy.name() + "' of its namespace ";
    return switch (policy.mode()) {
      case OFF -> name + "leaves pods unmanaged (mode off).";
      case SHADOW, WARN -> name + "grants nothing, it only records decisions (GET /v1/decisions).";
      case FILL, CAP ->
          name + "fills in memory and leaves placement to others (annotation cotenant.dev/filled).";
      case ENFORCE -> ". GET /v1/queue lists waiting pods.";
      case IMMEDIATE -> ". GET /v1/decisions lists decisions since the start of this service.";
    };
  }

  /** Time of the answers. */
  public Instant now() {
    return clock.instant();
  }
}
