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
    return ask(GateController::term);
  }

  @Override
  public ClusterSnapshot withGrants() {
    return ask(GateController::cluster);
  }

  @Override
  public Held hold(Claim claim, Function<ClusterSnapshot, Decision> decide) {
    return ask(gate ->
        gate.hold(claim, decide).map(decision -> new Held(decision, until(gate, claim.token()))));
  }

  private static Instant until(GateController gate, String token) {
    return gate.find(token)
        .map(grant -> grant.state() instanceof PodGrant.Held(Instant until) ? until : null)
        .orElse(Instant.EPOCH);
  }

  @Override
  public GrantState state(String token) {
    return askLeading(gate ->
        gate.find(token)
            .map(grant ->
                grant.state() instanceof PodGrant.Held ? GrantState.HELD : GrantState.BOUND)
            .orElse(GrantState.RELEASED));
  }

  @Override
  public Set<String> gone(Collection<String> tokens) {
    return ask(gate -> gate.gone(tokens));
  }

  @Override
  public boolean confirm(String token, PodIdentity pod, String uid) {
    return askLeading(gate -> gate.confirm(token, pod, uid));
  }

  @Override
  public boolean release(String token) {
    return askLeading(gate -> gate.release(token));
  }

  private <T> T askLeading(Function<GateController, T> question) {
    return ask(gate -> gate.cluster().map(_ -> question.apply(gate)));
  }

  private <T> T ask(Function<GateController, Optional<T>> question) {
    try {
      return controller
          .ask(question)
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
