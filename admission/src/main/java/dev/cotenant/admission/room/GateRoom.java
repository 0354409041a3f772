package dev.cotenant.admission.room;

import dev.cotenant.admission.gate.GateController;
import dev.cotenant.admission.gate.GateLoop;
import dev.cotenant.admission.ledger.Claim;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.decision.Decision;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/** Room on the books of the gate controller, while it leads and is ready. */
public final class GateRoom implements Room {
  private final GateLoop loop;
  private final Duration patience;

  /**
   * @param patience how long the controller may take to answer; then the caller is told to try
   *     again
   */
  public GateRoom(GateLoop loop, Duration patience) {
    this.loop = loop;
    this.patience = patience;
  }

  @Override
  public ClusterSnapshot withGrants() {
    return ask(GateController::cluster);
  }

  @Override
  public Held hold(Claim claim, Function<ClusterSnapshot, Decision> decide) {
    return ask(gate ->
        gate.hold(claim, decide)
            .map(decision ->
                new Held(
                    decision,
                    gate.standing(claim.token())
                        .map(PodGrant::state)
                        .map(GateRoom::until)
                        .orElse(Instant.EPOCH))));
  }

  private static Instant until(PodGrant.State state) {
    return state instanceof PodGrant.Held(Instant until) && until != null ? until : Instant.EPOCH;
  }

  @Override
  public Standing standing(String token) {
    return ask(gate -> gate.cluster().map(_ -> standing(gate, token)));
  }

  private static Standing standing(GateController gate, String token) {
    return gate.standing(token)
        .map(grant -> grant.state() instanceof PodGrant.Held ? Standing.HELD : Standing.BOUND)
        .orElse(Standing.GONE);
  }

  @Override
  public boolean confirm(String token, PodIdentity pod, String uid) {
    return ask(gate -> gate.cluster().map(_ -> gate.confirm(token, pod, uid)));
  }

  @Override
  public boolean release(String token) {
    return ask(gate -> gate.cluster().map(_ -> gate.release(token)));
  }

  /** Nothing answered is that this process does not decide. */
  private <T> T ask(Function<GateController, Optional<T>> question) {
    try {
      return loop.ask(question)
          .orTimeout(patience.toMillis(), TimeUnit.MILLISECONDS)
          .join()
          .orElseThrow(() -> new NotLeadingException(null));
    } catch (CompletionException e) {
      if (e.getCause() instanceof TimeoutException) {
        throw new NotLeadingException(null);
      }
      throw e;
    }
  }
}
