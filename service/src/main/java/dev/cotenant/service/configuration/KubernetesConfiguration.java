package dev.cotenant.service.configuration;

import io.smallrye.config.WithDefault;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** The cluster whose pods are gated and ungated. */
public interface KubernetesConfiguration {
  /** Whether there is a cluster. */
  @WithDefault("false")
  boolean enabled();

  /** Whether this process competes to hold and place pods. */
  @WithDefault("true")
  boolean gate();

  /** Address and credentials; absent for the pod's service account or the user's own file. */
  Optional<Path> kubeconfig();

  /** Timeout of a request to the API server. */
  @WithDefault("5s")
  Duration requestTimeout();

  /** Namespace of the Lease by which one replica leads. */
  @WithDefault("cotenant-system")
  String namespace();

  /** Name of that Lease. */
  @WithDefault("cotenant-leader")
  String leaseName();

  /** Time after the last renewal in which no other replica takes the Lease. */
  @WithDefault("15s")
  Duration leaseDuration();

  /** Time that the leader leads without a renewal. */
  @WithDefault("10s")
  Duration renewDeadline();

  /** Poll interval of every replica. */
  @WithDefault("1s")
  Duration retryPeriod();

  /** Accepted audiences of bearer tokens. */
  @WithDefault("cotenant")
  Set<String> tokenAudiences();
}
