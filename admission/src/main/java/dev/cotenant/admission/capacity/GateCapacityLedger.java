package dev.cotenant.admission.capacity;

import dev.cotenant.admission.gate.GateController;
import dev.cotenant.admission.gate.GateLoop;
import dev.cotenant.admission.ledger.Claim;
import dev.cotenant.admission.ledger.GrantState;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.decision.Decision;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;

/** Capacity on the ledger of the gate controller, accessed between two scheduling cycles. */
public final class GateCapacityLedger implements CapacityLedger {
  /** Far longer than a cycle; after it the controller has ended. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final GateLoop controller;
  private final Supplier<Optional<String>> leader;

  /**
   * @param controller of this process
   * @param leader the current leader, where known
   */
  public GateCapacityLedger(GateLoop controller, Supplier<Optional<String>> leader) {
    this.controller = controller;
    this.leader = leader;
  }

  @Override
  public long term() {
    return call(GateController::term);
  }

  @Override
  public ClusterSnapshot withGrants() {
    return call(GateController::cluster);
  }

  @Override
  public Allocation allocate(Claim claim, Function<ClusterSnapshot, Decision> decide) {
    return call(gate ->
        gate.allocate(claim, decide)
            .map(decision -> new Allocation(decision, until(gate, claim.token()))));
  }

  private static Instant until(GateController gate, String token) {
    return gate.find(token)
        .map(grant -> grant.state() instanceof PodGrant.Allocated(Instant until) ? until : null)
        .orElse(Instant.EPOCH);
  }

  @Override
  public GrantState state(String token) {
    return callLeading(gate ->
        gate.find(token)
            .map(grant ->
                grant.state() instanceof PodGrant.Allocated
                    ? GrantState.ALLOCATED
                    : GrantState.BOUND)
            .orElse(GrantState.RELEASED));
  }

  @Override
  public Set<String> gone(Collection<String> tokens) {
    return call(gate -> gate.gone(tokens));
  }

  @Override
  public boolean confirm(String token, PodIdentity pod, String uid) {
    return callLeading(gate -> gate.confirm(token, pod, uid));
  }

  @Override
  public boolean release(String token) {
    return callLeading(gate -> gate.release(token));
  }

  private <T> T callLeading(Function<GateController, T> task) {
    return call(gate -> gate.cluster().map(_ -> task.apply(gate)));
  }

  private <T> T call(Function<GateController, Optional<T>> task) {
    try {
      return controller
          .call(task)
          .get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
          .orElseThrow(this::notLeading);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException defect
          ? defect
          : new IllegalStateException(e.getCause());
    } catch (TimeoutException e) {
      throw notLeading();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw notLeading();
    }
  }

  private NotLeadingException notLeading() {
    return new NotLeadingException(leader.get().orElse(null));
  }
}
