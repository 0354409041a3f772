package dev.cotenant.service.configuration;

import io.smallrye.config.WithDefault;
import java.time.Duration;

/** Bounds on what callers can make the process hold, over all listeners. */
public interface OverloadConfiguration {
  /** Share of the largest heap that request bodies in flight may take. */
  @WithDefault("0.25")
  double heapShare();

  /** Connections of a listener. */
  @WithDefault("1024")
  int connections();

  /** Of these, from one address. */
  @WithDefault("512")
  int connectionsPerPeer();

  /** Maximum of these before their first request. */
  @WithDefault("128")
  int handshakes();

  /** Reviews that are answered at a time. */
  @WithDefault("64")
  int reviews();

  /** Until the TLS handshake is done. */
  @WithDefault("5s")
  Duration handshakeDeadline();

  /** Until a whole request head is there. */
  @WithDefault("10s")
  Duration headDeadline();

  /** Until the whole body of an unknown caller is there. */
  @WithDefault("10s")
  Duration bodyDeadline();

  /** Deadline for a known caller's complete body, and again for the response. */
  @WithDefault("5m")
  Duration requestDeadline();

  /** Until the next request. */
  @WithDefault("2m")
  Duration idleDeadline();
}
