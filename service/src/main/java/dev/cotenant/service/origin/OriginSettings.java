package dev.cotenant.service.origin;

import java.util.Set;

/**
 * Trust in loopback, and host names of the service.
 *
 * @param loopback whether callers on this machine need no token
 * @param allowedHosts names beside {@code localhost} and the addresses that are listened on
 */
public record OriginSettings(LoopbackTrust loopback, Set<String> allowedHosts) {
  public OriginSettings {
    allowedHosts = Set.copyOf(allowedHosts);
  }
}
