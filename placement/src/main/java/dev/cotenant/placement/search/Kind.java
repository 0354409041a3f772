package dev.cotenant.placement.search;

import dev.cotenant.interference.profile.WorkloadProfile;

/**
 * What services that are alike ask of one kind of device.
 *
 * @param profile of all of them
 * @param sloMillis what a request was promised
 * @param requestsPerSecond of each
 * @param memoryBytes of each
 */
record Kind(
    WorkloadProfile profile, double sloMillis, double requestsPerSecond, long memoryBytes) {}
