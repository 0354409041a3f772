package dev.cotenant.admission.ledger;

import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Evidence;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.decision.RiskLimit;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.Slowdown;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A grant in the cluster's ledger, to an existing or future pod.
 *
 * @param key the pod's uid; the admission id before the pod exists
 * @param pod its name
 * @param admitted the decision
 * @param extent a share or whole GPUs
 * @param slowdownLimit the limit of its slowdown
 * @param risk accepted risk of a slowdown beyond the limit
 * @param grantedAt time of the grant
 * @param state its state
 * @param profileTime duration of profiling from the start of the pod; zero without profiling or
 *     after its end
 */
public record PodGrant(
    String key,
    PodIdentity pod,
    Decision.Admitted admitted,
    Extent extent,
    Slowdown slowdownLimit,
    RiskLimit risk,
    Instant grantedAt,
    State state,
    Duration profileTime) {
  /** Time to start from its grant on, after which a pod is not waited for any more. */
  private static final Duration LATEST_START = Duration.ofMinutes(15);

  /** That shares its GPU from the beginning. */
  public PodGrant(
      String key,
      PodIdentity pod,
      Decision.Admitted admitted,
      Extent extent,
      Slowdown slowdownLimit,
      RiskLimit risk,
      Instant grantedAt,
      State state) {
    this(key, pod, admitted, extent, slowdownLimit, risk, grantedAt, state, Duration.ZERO);
  }

  /** A share or whole GPUs. */
  public enum Extent {
    SHARE,
    WHOLE
  }

  /** The state of a grant. */
  public sealed interface State {
    GrantState name();

    /** The state of the pod once its containers have run since then; null where they do not. */
    default State startedAt(@Nullable Instant started) {
      if (started == null) {
        return new Bound();
      }
      return this instanceof Observed observed && observed.startedAt().equals(started)
          ? observed
          : new Observed(started, false);
    }
  }

  /**
   * The pod is ungated and its scheduler chooses the node: the capacity counts for other gated
   * pods, and gives way to a binding.
   */
  public record Nominated() implements State {
    @Override
    public GrantState name() {
      return GrantState.NOMINATED;
    }
  }

  /**
   * Granted; the ungate or the binding is not confirmed yet.
   *
   * @param until the expiry of a reservation; null for a pod's grant, which never expires
   */
  public record Allocated(@Nullable Instant until) implements State {
    @Override
    public GrantState name() {
      return GrantState.ALLOCATED;
    }
  }

  /** The pod is ungated or bound; metrics do not show it. */
  public record Bound() implements State {
    @Override
    public GrantState name() {
      return GrantState.BOUND;
    }
  }

  /**
   * Its containers have run since {@code startedAt}; metrics after a window show them.
   *
   * @param isShown whether samples show all of its memory already
   */
  public record Observed(Instant startedAt, boolean isShown) implements State {
    @Override
    public GrantState name() {
      return GrantState.OBSERVED;
    }
  }

  /** The extent of a decision. */
  public static Extent extent(Decision.Admitted admitted) {
    return switch (admitted.evidence()) {
      case Evidence.WithinLimits _ -> Extent.SHARE;
      case Evidence.FreeGpus _, Evidence.Recorded _ -> Extent.WHOLE;
    };
  }

  /** The slowdown limit of a decision. */
  public static Slowdown slowdownLimit(Decision.Admitted admitted) {
    return admitted.evidence() instanceof Evidence.WithinLimits within
        ? within.limits().slowdown()
        : Slowdown.NONE;
  }

  /** The risk of a larger slowdown of a decision. */
  public static RiskLimit risk(Decision.Admitted admitted) {
    return admitted.evidence() instanceof Evidence.WithinLimits within
        ? within.limits().risk()
        : RiskLimit.NONE;
  }

  /** How long the pod of a decision is measured alone; zero where it is not. */
  private static Duration profileTime(Decision.Admitted admitted) {
    @Nullable Prediction prediction = admitted.grants().getFirst().prediction();
    return admitted.evidence() instanceof Evidence.WithinLimits within
            && prediction != null
            && within.limits().profiles(prediction)
        ? within.limits().profileTime()
        : Duration.ZERO;
  }

  /** The grant of a decision, allocated now. */
  public static PodGrant of(String key, PodIdentity pod, Decision.Admitted admitted, Instant now) {
    return new PodGrant(
        key,
        pod,
        admitted,
        extent(admitted),
        slowdownLimit(admitted),
        risk(admitted),
        now,
        new Allocated(null),
        profileTime(admitted));
  }

  /** Copy bound to a pod. */
  public PodGrant boundTo(String uid, PodIdentity named) {
    return new PodGrant(
        uid, named, admitted, extent, slowdownLimit, risk, grantedAt, new Bound(), profileTime);
  }

  /** Copy with a different decision of the same extent. */
  public PodGrant with(Decision.Admitted other) {
    return new PodGrant(
        key, pod, other, extent, slowdownLimit, risk, grantedAt, state, profileTime);
  }

  /** Copy with a different slowdown limit. */
  public PodGrant withSlowdownLimit(Slowdown other) {
    return new PodGrant(key, pod, admitted, extent, other, risk, grantedAt, state, profileTime);
  }

  /** The same in another state. */
  public PodGrant in(State other) {
    return new PodGrant(
        key, pod, admitted, extent, slowdownLimit, risk, grantedAt, other, profileTime);
  }

  /** The same, measured alone for this time. */
  public PodGrant profiledFor(Duration time) {
    return new PodGrant(key, pod, admitted, extent, slowdownLimit, risk, grantedAt, state, time);
  }

  /**
   * End of profiling: the profile time after the pod's start, or after a quarter of an hour from
   * the grant if the start is later. Null where it is not measured.
   */
  public @Nullable Instant profiledUntil() {
    if (!profileTime.isPositive()) {
      return null;
    }
    Instant latest = grantedAt.plus(LATEST_START);
    Instant start =
        state instanceof Observed observed && observed.startedAt().isBefore(latest)
            ? observed.startedAt()
            : latest;
    return start.plus(profileTime);
  }

  /** Uuids of its GPUs. */
  public List<String> gpus() {
    return admitted.grants().stream().map(Grant::gpuUuid).toList();
  }

  /** Node of the grant's GPUs. */
  public String node() {
    return admitted.grants().getFirst().node();
  }

  /** Whether its scheduler has yet to bind the pod, perhaps elsewhere. */
  public boolean isNomination() {
    return state instanceof Nominated;
  }

  /**
   * When it lapses, as a reservation that no pod took and the hold of a preemptor do; null where it
   * does not.
   */
  public @Nullable Instant expiresAt() {
    return state instanceof Allocated(Instant until) ? until : null;
  }

  /** Whether it has expired. */
  public boolean isExpired(Instant now) {
    Instant until = expiresAt();
    return until != null && !now.isBefore(until);
  }

  /** The occupant of the grant in snapshots; metrics do not include it before its start. */
  public Occupant occupant() {
    Instant since = state instanceof Observed observed ? observed.startedAt() : Instant.MAX;
    boolean isShown = state instanceof Observed observed && observed.isShown();
    return switch (extent) {
      case WHOLE -> new Occupant(key, gpus(), new Occupant.Alone(pod.toString()));
      case SHARE ->
          new Occupant(
              key,
              gpus(),
              new Occupant.Sharing(
                  LedgerEntry.tenant(
                          pod.toString(), admitted.grants().getFirst(), slowdownLimit, risk, since)
                      .profiledUntil(profiledUntil())
                      .shown(isShown)));
    };
  }
}
