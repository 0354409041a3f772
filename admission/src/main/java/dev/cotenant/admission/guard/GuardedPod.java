package dev.cotenant.admission.guard;

import dev.cotenant.admission.policy.GuardRules;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A pod that is bound to a shared GPU.
 *
 * @param uid its uid
 * @param namespace its namespace
 * @param workload its configuration, equal for all pods of one namespace and configuration; begins
 *     with the namespace and a slash
 * @param grantedAt time of its grant, which outlives restarts of its containers
 * @param startedAt start of its containers; null before
 * @param isMovable whether its annotation allows an eviction and its controller makes a new pod
 * @param rules of its policy
 */
public record GuardedPod(
    String uid,
    String namespace,
    String workload,
    Instant grantedAt,
    @Nullable Instant startedAt,
    boolean isMovable,
    GuardRules rules) {
  boolean isRunning() {
    return startedAt != null;
  }
}
