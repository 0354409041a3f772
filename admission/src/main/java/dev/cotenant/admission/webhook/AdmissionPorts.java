package dev.cotenant.admission.webhook;

import dev.cotenant.admission.decision.DecisionPorts;
import dev.cotenant.admission.fill.FillOomKills;
import java.util.function.Supplier;

/**
 * The ports of the webhooks; all of them fast and free of I/O.
 *
 * @param decisions the sources of decisions
 * @param listener receives the outcomes
 * @param ids gives a new, unguessable id with every call
 * @param kills of pods that ran out of filled memory
 */
public record AdmissionPorts(
    DecisionPorts decisions, AdmissionListener listener, Supplier<String> ids, FillOomKills kills) {

  /** Kills of filled pods are known to this process alone. */
  public AdmissionPorts(DecisionPorts decisions, AdmissionListener listener, Supplier<String> ids) {
    this(decisions, listener, ids, new FillOomKills(decisions.clock()));
  }
}
