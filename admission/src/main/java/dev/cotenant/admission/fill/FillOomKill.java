package dev.cotenant.admission.fill;

import dev.cotenant.domain.quantity.MemorySize;
import java.time.Instant;

/**
 * A pod that exceeded the filled memory.
 *
 * @param uid of the pod; it counts once
 * @param namespace of the pod
 * @param workload its key, {@link FillOomKills#key}
 * @param memory that was filled
 * @param at when it was seen
 */
public record FillOomKill(
    String uid, String namespace, String workload, MemorySize memory, Instant at) {}
