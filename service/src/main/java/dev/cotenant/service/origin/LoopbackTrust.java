package dev.cotenant.service.origin;

import io.vertx.core.net.SocketAddress;
import java.net.InetAddress;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Whether callers on this machine need no token for REST. Only 127.0.0.1 and ::1 are this machine:
 * proxies of service meshes pass requests on from others of 127.0.0.0/8, such as 127.0.0.6.
 */
public enum LoopbackTrust {
  /** They need none. */
  ON,
  /** Local callers need a token like all others. */
  OFF;

  private static final Set<InetAddress> LOCAL =
      Set.of(InetAddress.ofLiteral("127.0.0.1"), InetAddress.ofLiteral("::1"));

  /** Whether this peer needs no token. */
  public boolean covers(@Nullable SocketAddress peer) {
    return this == ON && peer != null && isLocal(peer.hostAddress());
  }

  private static boolean isLocal(@Nullable String address) {
    if (address == null) {
      return false; // a Unix domain socket
    }
    try {
      return LOCAL.contains(InetAddress.ofLiteral(address));
    } catch (IllegalArgumentException e) {
      return false; // no IP address
    }
  }
}
