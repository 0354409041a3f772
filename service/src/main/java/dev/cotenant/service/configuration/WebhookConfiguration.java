package dev.cotenant.service.configuration;

import io.smallrye.config.WithDefault;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** The HTTPS port of the webhooks. */
public interface WebhookConfiguration {
  /** Address to listen on. */
  @WithDefault("127.0.0.1")
  String host();

  /** Port to listen on; 0 takes a free one. */
  @WithDefault("8443")
  int port();

  /** Poll interval of the certificate's files. */
  @WithDefault("10s")
  Duration certificateInterval();

  /** CA certificates of API servers; without them every client may call. */
  Optional<Path> clientCa();

  /** Common names of those certificates; without names every signed certificate is accepted. */
  Optional<Set<String>> clientNames();

  /** The only user who may change what Cotenant writes. */
  @WithDefault("system:serviceaccount:cotenant-system:cotenant")
  String serviceAccount();
}
