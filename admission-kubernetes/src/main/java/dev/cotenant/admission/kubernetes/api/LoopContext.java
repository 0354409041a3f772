package dev.cotenant.admission.kubernetes.api;

import dev.cotenant.admission.supervision.Supervisor;

/**
 * The dependencies of every loop that calls the API server.
 *
 * @param server the API server
 * @param supervisor runs the loop
 */
public record LoopContext(ApiServer server, Supervisor supervisor) {}
