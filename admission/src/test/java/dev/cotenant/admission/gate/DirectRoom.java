package dev.cotenant.admission.gate;

import dev.cotenant.admission.ledger.Claim;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.room.NotLeadingException;
import dev.cotenant.admission.room.Room;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.decision.Decision;
import java.time.Instant;
import java.util.function.Function;

/** Room on a controller, asked by the thread that drives it. */
final class DirectRoom implements Room {
  private final GateController controller;

  DirectRoom(GateController controller) {
    this.controller = controller;
  }

  private static NotLeadingException notLeading() {
    return new NotLeadingException(null);
  }

  private void requireLeading() {
    if (controller.cluster().isEmpty()) {
      throw notLeading();
    }
  }

  @Override
  public long term() {
    return controller.term().orElseThrow(DirectRoom::notLeading);
  }

  @Override
  public ClusterSnapshot withGrants() {
    return controller.cluster().orElseThrow(DirectRoom::notLeading);
  }

  @Override
  public Held hold(Claim claim, Function<ClusterSnapshot, Decision> decide) {
    Decision decision = controller.hold(claim, decide).orElseThrow(DirectRoom::notLeading);
    Instant until =
        controller
            .standing(claim.token())
            .map(grant -> grant.state() instanceof PodGrant.Held(Instant end) ? end : null)
            .orElse(Instant.EPOCH);
    return new Held(decision, until);
  }

  @Override
  public Standing standing(String token) {
    requireLeading();
    return controller
        .standing(token)
        .map(grant -> grant.state() instanceof PodGrant.Held ? Standing.HELD : Standing.BOUND)
        .orElse(Standing.GONE);
  }

  @Override
  public boolean confirm(String token, PodIdentity pod, String uid) {
    requireLeading();
    return controller.confirm(token, pod, uid);
  }

  @Override
  public boolean release(String token) {
    requireLeading();
    return controller.release(token);
  }
}
