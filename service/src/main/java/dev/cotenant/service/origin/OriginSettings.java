package dev.cotenant.service.origin;

import java.util.Set;

/**
 * Whom REST takes for local, and by which names the service may be called.
 *
 * @param loopback whether callers on this machine need no token
 * @param allowedHosts names beside {@code localhost} and the addresses that are listened on
 */
public record OriginSettings(LoopbackTrust loopback, Set<String> allowedHosts) {
  public OriginSettings {
    allowedHosts = Set.copyOf(allowedHosts);
  }
}
