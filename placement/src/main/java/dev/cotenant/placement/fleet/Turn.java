package dev.cotenant.placement.fleet;

/**
 * One service in a partition.
 *
 * @param service its name
 * @param batch the largest batch that it runs, at least 1
 * @param requestsPerSecond part of its rate that this turn serves, positive
 */
public record Turn(String service, int batch, double requestsPerSecond) {}
