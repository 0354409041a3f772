package dev.cotenant.service.gate;

import dev.cotenant.admission.capacity.GateCalls;
import dev.cotenant.admission.gate.GateController;
import dev.cotenant.admission.state.LeaderState.MemoryShortage;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The out-of-memory failures that raise predictions, which the leader knows. */
public final class MemoryShortages {
  private final Optional<GateCalls> gate;

  /**
   * @param gate empty where no gate controller decides: then no failure is noted
   */
  public MemoryShortages(Optional<GateCalls> gate) {
    this.gate = gate;
  }

  /**
   * Those of a namespace, the newest first.
   *
   * @param namespace null for all
   * @throws dev.cotenant.admission.capacity.NotLeadingException where this process does not decide
   */
  public List<MemoryShortage> list(@Nullable String namespace) {
    return gate.map(calls -> calls.query(GateController::shortages)).orElse(List.of()).stream()
        .filter(shortage -> namespace == null || shortage.namespace().equals(namespace))
        .toList();
  }

  /**
   * Forgets those of a namespace, in this process and for later leaders.
   *
   * @param model of these alone; null for all
   * @return how many configurations had any
   * @throws dev.cotenant.admission.capacity.NotLeadingException where this process does not decide,
   *     or cannot write
   */
  public int forget(String namespace, @Nullable String model) {
    return gate.map(
            calls -> calls.await(controller -> controller.forgetShortages(namespace, model)))
        .orElse(0);
  }
}
