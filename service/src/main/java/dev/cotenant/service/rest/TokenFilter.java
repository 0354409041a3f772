package dev.cotenant.service.rest;

import dev.cotenant.service.access.Access;
import dev.cotenant.service.access.Access.Outcome;
import dev.cotenant.service.access.Access.Presentation;
import dev.cotenant.service.access.Caller;
import dev.cotenant.service.access.Refusal;
import dev.cotenant.service.origin.LoopbackTrust;
import dev.cotenant.service.webhook.SecurePort;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import io.vertx.core.http.HttpServerRequest;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.core.Response;
import org.jboss.logging.Logger;
import org.jboss.resteasy.reactive.server.ServerRequestFilter;
import org.jspecify.annotations.Nullable;

/**
 * Authenticates callers: by the token that they present, else as trusted local ones where loopback
 * is trusted. Health, metrics and static pages are not REST and stay open.
 */
final class TokenFilter {
  /** The property of a request that holds its {@link Caller}. */
  static final String CALLER = Caller.class.getName();

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
    Presentation presentation = Presentation.of(request, Access.Scheme.BEARER);
    if (presentation.authorization() == null && isTrustedLocal(request)) {
      context.setProperty(CALLER, Caller.Holder.LOCAL);
      return null;
    }
    return Uni.createFrom()
        .item(() -> access.check(presentation))
        .runSubscriptionOn(Infrastructure.getDefaultWorkerPool())
        .map(outcome -> answer(outcome, context));
  }

  private static @Nullable Response answer(Outcome outcome, ContainerRequestContext context) {
    if (outcome instanceof Outcome.Granted(Caller caller)) {
      context.setProperty(CALLER, caller);
    } else {
      LOG.debugf("refused: %s", outcome);
    }
    return Refusal.of(outcome).map(Problems::of).orElse(null);
  }

  /** The one place that trusts a request for where it comes from. */
  private boolean isTrustedLocal(HttpServerRequest request) {
    return !secure.isVerified(request) && loopback.covers(request.remoteAddress());
  }
}
