package dev.cotenant.service.rest;

import dev.cotenant.service.access.Access;
import dev.cotenant.service.webhook.SecurePort;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.SocketAddress;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import java.net.InetAddress;
import org.jboss.logging.Logger;
import org.jboss.resteasy.reactive.server.ServerRequestFilter;
import org.jspecify.annotations.Nullable;

/**
 * Lets callers on this machine in, and others that present a token. Health, metrics and static
 * pages are not REST and stay open. Requests of the HTTPS port were looked at there, whoever sent
 * them.
 */
final class TokenFilter {
  private static final Logger LOG = Logger.getLogger(TokenFilter.class);

  private final Access access;
  private final SecurePort secure;

  TokenFilter(Access access, SecurePort secure) {
    this.access = access;
    this.secure = secure;
  }

  @ServerRequestFilter(preMatching = true)
  @Nullable Uni<Response> check(ContainerRequestContext context, HttpServerRequest request) {
    if (secure.isVerified(request) || isLoopback(request.remoteAddress())) {
      return null;
    }
    String authorization = context.getHeaderString(HttpHeaders.AUTHORIZATION);
    return Uni.createFrom()
        .item(() -> access.check(authorization, Access.Scheme.BEARER))
        .runSubscriptionOn(Infrastructure.getDefaultWorkerPool())
        .map(verdict -> answer(verdict, request));
  }

  private static @Nullable Response answer(Access.Verdict verdict, HttpServerRequest request) {
    return switch (verdict) {
      case Access.Verdict.Granted _ -> null;
      case Access.Verdict.Refused(String why) -> {
        LOG.debugf("refused %s: %s", request.remoteAddress(), why);
        yield Problems.unauthorized();
      }
      case Access.Verdict.Unavailable(String why) -> {
        LOG.warnf("no token can be looked at: %s", why);
        yield Problems.tokensUnavailable();
      }
    };
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
}
