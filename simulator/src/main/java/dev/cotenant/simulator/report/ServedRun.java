package dev.cotenant.simulator.report;

import dev.cotenant.simulator.serving.ServingTotals;

/**
 * A run of request streams.
 *
 * @param policy its name
 * @param totals what became of the requests
 */
public record ServedRun(String policy, ServingTotals totals) {}
