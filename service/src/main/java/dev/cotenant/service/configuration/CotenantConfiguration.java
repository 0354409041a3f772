package dev.cotenant.service.configuration;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.nio.file.Path;
import java.util.Map;

/**
 * Every key that starts with {@code cotenant.}; docs/configuration.md is its table.
 *
 * <p>One root over one interface a concern, because only then does an unknown key anywhere below
 * {@code cotenant.} stop startup.
 */
@ConfigMapping(prefix = "cotenant")
public interface CotenantConfiguration {
  /** The directory that other relative paths start from. */
  @WithDefault(".")
  Path home();

  ClusterConfiguration cluster();

  ModelsConfiguration models();

  DevicesConfiguration devices();

  DataConfiguration data();

  DatabaseConfiguration database();

  UploadConfiguration upload();

  PolicyConfiguration policy();

  /** By name. */
  Map<String, OtherPolicyConfiguration> policies();

  WebhookConfiguration webhook();

  IntakeConfiguration intake();

  LedgerConfiguration ledger();

  MetricsConfiguration metrics();

  PrometheusConfiguration prometheus();

  ForecastConfiguration forecast();

  RestConfiguration rest();

  DecisionsConfiguration decisions();

  KubernetesConfiguration kubernetes();
}
