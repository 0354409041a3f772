package dev.cotenant.admission.kubernetes.api;

import dev.cotenant.admission.supervision.Supervisor;

/**
 * What every loop that asks the API server needs.
 *
 * @param server is asked
 * @param supervisor runs the loop
 */
public record Supervised(ApiServer server, Supervisor supervisor) {}
