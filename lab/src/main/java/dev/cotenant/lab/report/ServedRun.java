package dev.cotenant.lab.report;

import dev.cotenant.lab.requests.ServingTotals;

/**
 * A run of request streams.
 *
 * @param policy its name
 * @param totals what became of the requests
 */
public record ServedRun(String policy, ServingTotals totals) {}
