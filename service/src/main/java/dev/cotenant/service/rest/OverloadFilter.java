package dev.cotenant.service.rest;

import dev.cotenant.service.overload.Connection;
import dev.cotenant.service.overload.LoadShedding;
import dev.cotenant.service.overload.OverloadBudget.Charge;
import dev.cotenant.service.overload.ShedCause;
import io.vertx.core.http.HttpServerRequest;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import org.jboss.resteasy.reactive.server.ServerRequestFilter;
import org.jboss.resteasy.reactive.server.core.CurrentRequestManager;
import org.jboss.resteasy.reactive.server.spi.ResteasyReactiveContainerRequestContext;
import org.jspecify.annotations.Nullable;

/**
 * Charges the texts that callers send to the budget of request bodies, once {@link TokenFilter} let
 * the callers in, and gives their bodies the longer deadline. Files stream to disk and hold no
 * memory.
 */
final class OverloadFilter {
  private final LoadShedding loadShedding;

  OverloadFilter(LoadShedding loadShedding) {
    this.loadShedding = loadShedding;
  }

  @ServerRequestFilter
  @Nullable Response charge(
      ResteasyReactiveContainerRequestContext context, HttpServerRequest request) {
    Connection connection = Connection.of(request);
    connection.trust();
    if (!hasText(context)) {
      return null;
    }
    Charge charge = loadShedding.budget().open();
    CurrentRequestManager.get().registerCompletionCallback(_ -> charge.close());
    long announced = Math.clamp(context.getLength(), 0, JsonBody.MAX_ROWS_BYTES);
    if (!charge.receive(announced)) {
      connection.shed(ShedCause.BYTES);
      return Problems.overloaded(new OverloadedException());
    }
    context.setEntityStream(new ChargedBody(context.getEntityStream(), charge, announced));
    return null;
  }

  private static boolean hasText(ResteasyReactiveContainerRequestContext context) {
    boolean body = context.getLength() > 0 || context.getHeaderString("Transfer-Encoding") != null;
    MediaType type = context.getMediaType();
    return body && !MediaType.APPLICATION_OCTET_STREAM_TYPE.equals(type);
  }
}
