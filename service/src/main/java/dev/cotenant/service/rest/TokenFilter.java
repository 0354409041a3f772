package dev.cotenant.service.rest;

import dev.cotenant.service.access.Access;
import dev.cotenant.service.origin.LoopbackTrust;
import dev.cotenant.service.webhook.SecurePort;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import io.vertx.core.http.HttpServerRequest;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import org.jboss.logging.Logger;
import org.jboss.resteasy.reactive.server.ServerRequestFilter;
import org.jspecify.annotations.Nullable;

/**
 * Lets callers in that present a token, and those on this machine where loopback is trusted.
 * Health, metrics and static pages are not REST and stay open. Requests of the HTTPS port were
 * looked at there, whatever their peer.
 */
final class TokenFilter {
  private static final Logger LOG = Logger.getLogger(TokenFilter.class);

  private final Access access;
  private final SecurePort secure;
  private final LoopbackTrust loopback;

  TokenFilter(Access access, SecurePort secure, LoopbackTrust loopback) {
    this.access = access;
    this.secure = secure;
    this.loopback = loopback;
  }

  @ServerRequestFilter(preMatching = true)
  @Nullable Uni<Response> check(ContainerRequestContext context, HttpServerRequest request) {
    if (secure.isVerified(request) || loopback.covers(request.remoteAddress())) {
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
}
