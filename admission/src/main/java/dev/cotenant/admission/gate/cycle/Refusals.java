package dev.cotenant.admission.gate.cycle;

import dev.cotenant.admission.gate.state.Refusal;
import dev.cotenant.admission.gate.state.Term;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.DeferredReasons;
import dev.cotenant.domain.decision.Reason;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Refusals that still hold.
 *
 * <p>Grants only take capacity, so a refusal holds until capacity becomes free. Where it becomes
 * free on a few nodes, only these are searched, once for every equivalence class. Where trials are
 * allowed no refusal holds: each further tenant of a namespace may allow another trial.
 */
final class Refusals {
  /** From this many nodes a search of all GPUs, which is indexed, is as fast. */
  private static final int FEW = 32;

  private final Term term;
  private final Deciding deciding;
  private final Map<EquivalenceClass, Refusal> byClass = new HashMap<>();

  /** The relations between nodes when classes that depend on them were refused. */
  private final Map<EquivalenceClass, Long> relations = new HashMap<>();

  /** Classes whose search of the freed nodes is outstanding. */
  private final Set<EquivalenceClass> outstanding = new HashSet<>();

  private final Set<String> freed = new TreeSet<>();
  private long freedAt = -1;
  private @Nullable ClusterSnapshot whole;
  private @Nullable ClusterSnapshot part;

  Refusals(Term term, Deciding deciding) {
    this.term = term;
    this.deciding = deciding;
  }

  /** The refusal of a subject, where it follows without a search of all GPUs. */
  @Nullable Refusal find(Subject subject, ClusterSnapshot cluster) {
    update();
    if (relations.getOrDefault(subject.equivalence(), term.cluster().relations())
        != term.cluster().relations()) {
      forget(subject.equivalence());
      return null;
    }
    Refusal known = byClass.get(subject.equivalence());
    if (known == null || !outstanding.contains(subject.equivalence())) {
      return known;
    }
    DecisionConditions conditions = deciding.conditions(cluster, subject);
    Decision partly = conditions.decide(part(cluster), null);
    if (partly instanceof Decision.Admitted) {
      forget(subject.equivalence());
      return null;
    }
    settle(subject.equivalence());
    List<Reason> reasons =
        new DeferredReasons(() -> {
          List<Reason> all = conditions.decide(cluster, null).reasons();
          return all.isEmpty() ? partly.reasons() : all;
        });
    Decision refused =
        known.decision() instanceof Decision.Denied
            ? new Decision.Denied(reasons)
            : new Decision.Held(reasons);
    return put(subject, cluster, refused);
  }

  /** Stores a refusal that was decided on this cluster. */
  Refusal put(Subject subject, ClusterSnapshot cluster, Decision refused) {
    Refusal refusal =
        new Refusal(
            refused, () -> deciding.decide(cluster, subject, null).reasons(), cluster.takenAt());
    if (deciding.policy(subject.pod()).limits().allowTrials()) {
      return refusal;
    }
    byClass.put(subject.equivalence(), refusal);
    if (subject.needs().demand().dependsOnOthers()) {
      relations.put(subject.equivalence(), term.cluster().relations());
    }
    return refusal;
  }

  private void update() {
    if (freedAt == term.cluster().freed()) {
      return;
    }
    Optional<Set<String>> nodes = term.cluster().takeFreed();
    freedAt = term.cluster().freed();
    nodes.ifPresent(freed::addAll);
    if (nodes.isEmpty() || freed.size() > FEW) {
      byClass.clear();
      relations.clear();
      outstanding.clear();
      freed.clear();
    } else {
      outstanding.addAll(byClass.keySet());
    }
    whole = null;
  }

  private void forget(EquivalenceClass equivalence) {
    byClass.remove(equivalence);
    relations.remove(equivalence);
    settle(equivalence);
  }

  private void settle(EquivalenceClass equivalence) {
    outstanding.remove(equivalence);
    if (outstanding.isEmpty()) {
      freed.clear();
    }
  }

  @SuppressWarnings("ReferenceEquality") // snapshots are cached by identity
  private ClusterSnapshot part(ClusterSnapshot cluster) {
    ClusterSnapshot known = part;
    if (known == null || whole != cluster) {
      List<GpuSnapshot> gpus = new ArrayList<>();
      for (String node : freed) {
        for (GpuSnapshot gpu : term.cluster().gpus(node)) {
          cluster.find(gpu.uuid()).ifPresent(gpus::add);
        }
      }
      known = cluster.part(gpus);
      whole = cluster;
      part = known;
    }
    return known;
  }
}
