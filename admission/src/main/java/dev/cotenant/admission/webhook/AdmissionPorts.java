package dev.cotenant.admission.webhook;

import dev.cotenant.admission.decision.DecisionPorts;
import java.util.function.Supplier;

/**
 * The ports of the webhooks; all of them fast and free of I/O.
 *
 * @param decisions the sources of decisions
 * @param listener receives the outcomes
 * @param ids gives a new, unguessable id with every call
 */
public record AdmissionPorts(
    DecisionPorts decisions, AdmissionListener listener, Supplier<String> ids) {}
