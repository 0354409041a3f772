package dev.cotenant.service.cluster;

import dev.cotenant.admission.capacity.CapacityLedger;
import dev.cotenant.admission.capacity.NotLeadingException;
import dev.cotenant.admission.gate.GateView;
import dev.cotenant.admission.policy.Policies;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Who decides in this cluster: the webhook of this process, or the gate controller of whichever
 * process leads.
 *
 * @param capacity the ledger of the decisions
 * @param policies by which it decides
 * @param controller what the controller of this process knows, and who leads; empty where the
 *     webhook decides
 */
public record Control(
    CapacityLedger capacity, Supplier<Policies> policies, Optional<Controller> controller) {

  /**
   * The gate controller as this process sees it.
   *
   * @param view what it knows; it does not lead where that is not ready
   * @param leader the current leader, if known
   */
  public record Controller(Supplier<GateView> view, Supplier<Optional<String>> leader) {
    /** What it knows while it leads. */
    GateView leading() {
      GateView now = view.get();
      if (!now.isReady()) {
        throw new NotLeadingException(leader.get().orElse(null));
      }
      return now;
    }
  }

  /** The webhook of this process decides while pods are created. */
  public static Control immediate(CapacityLedger capacity, Policies policies) {
    return new Control(capacity, () -> policies, Optional.empty());
  }

  /**
   * What the controller knows; empty where there is none.
   *
   * @throws NotLeadingException where another process leads, or none yet
   */
  public Optional<GateView> view() {
    return controller.map(Controller::leading);
  }
}
