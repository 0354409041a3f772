package dev.cotenant.admission.guard;

import dev.cotenant.admission.policy.GuardRules;
import java.time.Instant;

/**
 * A pod that shares a GPU.
 *
 * @param uid its uid
 * @param name namespace and pod
 * @param namespace its namespace
 * @param workload what it runs, equal for all pods of one namespace and configuration
 * @param grantedAt time of its grant
 * @param isMovable whether its annotation allows an eviction and its controller makes a new pod
 * @param rules of its policy
 */
public record Cotenant(
    String uid,
    String name,
    String namespace,
    String workload,
    Instant grantedAt,
    boolean isMovable,
    GuardRules rules) {}
