package dev.cotenant.interference.risk;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Selects the GPU for a job: the fullest GPU on which the risk of every tenant is within the
 * budget; else, while trials are few, a GPU with an unmeasured colocation and a risk within that of
 * trials.
 *
 * @param <G> a GPU of the caller's own
 */
public final class RiskRule<G> {
  private final RiskModel model;
  private final RiskBudget budget;
  private final TrialOrder order;
  private long placed;
  private long trials;

  /** Which of several GPUs is tried. */
  public enum TrialOrder {
    /** The fullest, as decisions do. */
    FULLEST,
    /** The one where the tenant most at risk has the least [sharing study, section 2]. */
    SAFEST
  }

  public RiskRule(RiskModel model, RiskBudget budget, TrialOrder order) {
    this.model = model;
    this.budget = budget;
    this.order = order;
  }

  /**
   * A GPU with enough memory for the newcomer.
   *
   * @param gpu the caller's own
   * @param device its product
   * @param tenants on it, at least one
   * @param fullness utilization that is in use; the fullest is preferred, the first of equals
   */
  public record Candidate<G>(G gpu, String device, List<RiskTenant> tenants, double fullness) {
    public Candidate {
      tenants = List.copyOf(tenants);
      if (tenants.isEmpty()) {
        throw new IllegalArgumentException("a candidate has at least one tenant");
      }
    }
  }

  /**
   * A GPU to join.
   *
   * @param kind within the budget or beyond it
   */
  public record Choice<G>(G gpu, Kind kind) {
    /** Why a job joins. */
    public enum Kind {
      WITHIN_BUDGET,
      TRIAL
    }
  }

  /**
   * The GPU to join; empty where none is within the budget and no trial is due. The caller reports
   * every placed job by {@link #placed}.
   */
  public Optional<Choice<G>> choose(RiskTenant newcomer, Iterable<Candidate<G>> candidates) {
    Choice<G> fullest = null;
    double most = Double.NEGATIVE_INFINITY;
    Choice<G> trial = null;
    double best = Double.NEGATIVE_INFINITY;
    boolean mayTry = trials + 1 <= budget.trialShare() * (placed + 1);
    for (Candidate<G> candidate : candidates) {
      double risk = risk(newcomer, candidate);
      if (risk <= budget.budget()) {
        if (candidate.fullness() > most) {
          fullest = new Choice<>(candidate.gpu(), Choice.Kind.WITHIN_BUDGET);
          most = candidate.fullness();
        }
      } else if (mayTry && risk <= budget.trialRisk()) {
        double rank = order == TrialOrder.FULLEST ? candidate.fullness() : -risk;
        if (rank > best && mayBeTried(newcomer, candidate)) {
          trial = new Choice<>(candidate.gpu(), Choice.Kind.TRIAL);
          best = rank;
        }
      }
    }
    return Optional.ofNullable(fullest == null ? trial : fullest);
  }

  /** A job was placed; with the choice it was placed by, or none where it got a GPU of its own. */
  public void placed(Optional<Choice<G>> choice) {
    placed++;
    if (choice.isPresent() && choice.get().kind() == Choice.Kind.TRIAL) {
      trials++;
    }
  }

  /** Of the tenant most at risk once the newcomer has joined. */
  private double risk(RiskTenant newcomer, Candidate<G> candidate) {
    List<RiskTenant> all = all(newcomer, candidate);
    double largest = 0;
    for (int i = 0; i < all.size(); i++) {
      VictimColocation colocation = colocation(all, i, candidate.device());
      largest = Math.max(largest, model.risk(colocation, all.get(i).limit().ratio()));
    }
    return largest;
  }

  /** A trial teaches something, and every tenant takes part in trials. */
  private boolean mayBeTried(RiskTenant newcomer, Candidate<G> candidate) {
    List<RiskTenant> all = all(newcomer, candidate);
    for (int i = 0; i < all.size(); i++) {
      if (!all.get(i).mayExplore() || model.isMeasured(colocation(all, i, candidate.device()))) {
        return false;
      }
    }
    return true;
  }

  private List<RiskTenant> all(RiskTenant newcomer, Candidate<G> candidate) {
    List<RiskTenant> all = new ArrayList<>();
    all.add(newcomer);
    all.addAll(candidate.tenants());
    return all;
  }

  private static VictimColocation colocation(List<RiskTenant> all, int victim, String device) {
    List<SharedJob> others = new ArrayList<>();
    for (int i = 0; i < all.size(); i++) {
      if (i != victim) {
        others.add(all.get(i).job());
      }
    }
    return new VictimColocation(device, all.get(victim).job(), others);
  }
}
