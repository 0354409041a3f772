package dev.cotenant.service.rest;

import dev.cotenant.service.configuration.ServiceSettings;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.SocketAddress;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Optional;
import org.jboss.resteasy.reactive.server.ServerRequestFilter;
import org.jspecify.annotations.Nullable;

/**
 * Lets callers on this machine in, and others with the configured token. Health, metrics and static
 * pages are not REST and stay open.
 */
final class TokenFilter {
  private static final String SCHEME = "Bearer ";

  private final ServiceSettings settings;

  TokenFilter(ServiceSettings settings) {
    this.settings = settings;
  }

  @ServerRequestFilter(preMatching = true)
  @Nullable Response check(ContainerRequestContext context, HttpServerRequest request) {
    String authorization = context.getHeaderString(HttpHeaders.AUTHORIZATION);
    return isLoopback(request.remoteAddress()) || presents(settings.restToken(), authorization)
        ? null
        : unauthorized();
  }

  /** Whether an Authorization header presents this token; without a token none does. */
  static boolean presents(Optional<String> token, @Nullable String authorization) {
    return token.isPresent()
        && authorization != null
        && authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
        && MessageDigest.isEqual(
            bytes(token.get()), bytes(authorization.substring(SCHEME.length()).strip()));
  }

  /** Whether the peer is on this machine; an address that is no IP address is not. */
  static boolean isLoopback(@Nullable SocketAddress peer) {
    if (peer == null || peer.hostAddress() == null) {
      return false;
    }
    try {
      return InetAddress.ofLiteral(peer.hostAddress()).isLoopbackAddress();
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static Response unauthorized() {
    return Problems.response(
            ProblemView.of(
                401,
                "Unauthorized",
                "token-required",
                "Callers off the service's machine need 'Authorization: Bearer' with the token that"
                    + " cotenant.rest.token sets."))
        .header(HttpHeaders.WWW_AUTHENTICATE, "Bearer realm=\"cotenant\"")
        .build();
  }
}
