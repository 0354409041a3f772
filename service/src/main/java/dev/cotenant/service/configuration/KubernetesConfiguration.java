package dev.cotenant.service.configuration;

import io.smallrye.config.WithDefault;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** The cluster whose pods are held and let go. */
public interface KubernetesConfiguration {
  /** Whether there is an API server to talk to. */
  @WithDefault("false")
  boolean enabled();

  /** Where it is and who we are; without one the pod's service account says, or the user's own. */
  Optional<Path> kubeconfig();

  /** How long an answer of it may take. */
  @WithDefault("5s")
  Duration requestTimeout();

  /** Namespace of the Lease by which one replica leads. */
  @WithDefault("cotenant-system")
  String namespace();

  /** Name of that Lease. */
  @WithDefault("cotenant-leader")
  String leaseName();

  /** How long the others leave an unchanged Lease alone. */
  @WithDefault("15s")
  Duration leaseDuration();

  /** How long the leader leads without having renewed it. */
  @WithDefault("10s")
  Duration renewDeadline();

  /** How often everybody looks at it. */
  @WithDefault("1s")
  Duration retryPeriod();

  /** For which audiences bearer tokens must be made. */
  @WithDefault("cotenant")
  Set<String> tokenAudiences();
}
