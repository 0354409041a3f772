package dev.cotenant.service.configuration;

import io.smallrye.config.WithDefault;

/** The HTTPS port of the webhooks. */
public interface WebhookConfiguration {
  /** Address to listen on. */
  @WithDefault("127.0.0.1")
  String host();

  /** Port to listen on; 0 takes a free one. */
  @WithDefault("8443")
  int port();

  /** The only user who may change the annotations that Cotenant writes. */
  @WithDefault("system:serviceaccount:cotenant-system:cotenant")
  String serviceAccount();
}
