package dev.cotenant.service.origin;

import java.util.Collection;
import java.util.HashSet;
import java.util.Set;

/**
 * The names by which clients may call this service. A web page whose own name was pointed at this
 * machine (DNS rebinding) sends that name; an IP address cannot be pointed elsewhere, so every one
 * is allowed.
 */
public final class AllowedHosts {
  private static final String LOCALHOST = "localhost";

  private final Set<String> names;

  /**
   * @param names beside {@code localhost}; ports are ignored, texts that are no host allow nothing
   */
  public AllowedHosts(Collection<String> names) {
    Set<String> all = new HashSet<>(Set.of(LOCALHOST));
    names.forEach(name -> Authority.parse(name).ifPresent(parsed -> all.add(parsed.host())));
    this.names = Set.copyOf(all);
  }

  boolean allows(Authority authority) {
    return authority.isAddress() || names.contains(authority.host());
  }
}
