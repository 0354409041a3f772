package dev.cotenant.admission.ledger;

import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Evidence;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.quantity.Slowdown;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Capacity that a pod of a cluster holds, or that is kept for one to come.
 *
 * @param key the pod's uid; a token where there is no pod yet
 * @param pod who holds it
 * @param admitted what, and why
 * @param extent whether it shares
 * @param promised the most that it is to be slowed down
 * @param grantedAt when
 * @param state how far it has come
 */
public record PodGrant(
    String key,
    PodIdentity pod,
    Decision.Admitted admitted,
    Extent extent,
    Slowdown promised,
    Instant grantedAt,
    State state) {

  /** How much of its GPUs it holds. */
  public enum Extent {
    SHARE,
    WHOLE
  }

  /** How far a grant has come. */
  public sealed interface State {
    /** The state without its details. */
    GrantState name();
  }

  /**
   * Granted; that the pod was let go is not known yet.
   *
   * @param until when it lapses; null where it is a pod's, which it never does
   */
  public record Held(@Nullable Instant until) implements State {
    @Override
    public GrantState name() {
      return GrantState.HELD;
    }
  }

  /** The pod was let go; measurements do not show it. */
  public record Bound() implements State {
    @Override
    public GrantState name() {
      return GrantState.BOUND;
    }
  }

  /** Its containers have run since then; measurements older than a window show them. */
  public record Observed(Instant startedAt) implements State {
    @Override
    public GrantState name() {
      return GrantState.OBSERVED;
    }
  }

  /** How much of its GPUs whoever was admitted holds. */
  public static Extent extent(Decision.Admitted admitted) {
    return switch (admitted.evidence()) {
      case Evidence.WithinLimits _ -> Extent.SHARE;
      case Evidence.FreeGpus _, Evidence.Recorded _ -> Extent.WHOLE;
    };
  }

  /** The most that whoever was admitted is to be slowed down. */
  public static Slowdown promised(Decision.Admitted admitted) {
    return admitted.evidence() instanceof Evidence.WithinLimits within
        ? within.limits().slowdown()
        : Slowdown.NONE;
  }

  /** The same in another state. */
  public PodGrant in(State other) {
    return new PodGrant(key, pod, admitted, extent, promised, grantedAt, other);
  }

  /** Uuids of its GPUs. */
  public List<String> gpus() {
    return admitted.grants().stream().map(Grant::gpuUuid).toList();
  }

  /** The node of all its GPUs. */
  public String node() {
    return admitted.grants().getFirst().node();
  }

  /** Whether it lapsed by now. */
  public boolean isExpired(Instant now) {
    return state instanceof Held(Instant until) && until != null && !now.isBefore(until);
  }

  /**
   * The capacity as it counts in snapshots. What has not started yet is never taken for seen,
   * however long ago it was granted.
   */
  public Occupant occupant() {
    Instant since = state instanceof Observed(Instant startedAt) ? startedAt : Instant.MAX;
    return switch (extent) {
      case WHOLE -> new Occupant(key, gpus(), new Occupant.Alone(pod.toString()));
      case SHARE ->
          new Occupant(
              key,
              gpus(),
              new Occupant.Sharing(
                  LedgerEntry.tenant(
                      pod.toString(), admitted.grants().getFirst(), promised, since)));
    };
  }
}
