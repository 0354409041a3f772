package dev.cotenant.service.configuration;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * The cluster whose pods are gated and ungated.
 *
 * @param kubeconfig where the API server is and who we are; empty where the environment says
 * @param gate whether this process competes to hold and place pods
 * @param requestTimeout how long an answer may take
 * @param lease by which one replica leads
 * @param tokenAudiences accepted audiences of bearer tokens; one must match
 */
public record KubernetesSettings(
    Optional<Path> kubeconfig,
    boolean gate,
    Duration requestTimeout,
    Lease lease,
    Set<String> tokenAudiences) {
  public KubernetesSettings {
    tokenAudiences = Set.copyOf(tokenAudiences);
  }

  /**
   * A Lease.
   *
   * @param namespace its namespace
   * @param name its name
   * @param duration time after the last renewal in which no other replica takes it
   * @param renewDeadline time that its holder leads without a renewal
   * @param retryPeriod poll interval of every replica
   */
  public record Lease(
      String namespace,
      String name,
      Duration duration,
      Duration renewDeadline,
      Duration retryPeriod) {}
}
