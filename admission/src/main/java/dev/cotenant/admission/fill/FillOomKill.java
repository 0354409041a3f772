package dev.cotenant.admission.fill;

import dev.cotenant.domain.quantity.MemorySize;
import java.time.Instant;

/**
 * A pod that ran out of the memory that was filled into its request.
 *
 * @param uid of the pod; it counts once
 * @param namespace of the pod
 * @param workload its key, {@link FillOomKills#key}
 * @param memory that was filled
 * @param at when it was seen
 */
public record FillOomKill(
    String uid, String namespace, String workload, MemorySize memory, Instant at) {}
