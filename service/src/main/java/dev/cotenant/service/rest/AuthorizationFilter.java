package dev.cotenant.service.rest;

import dev.cotenant.domain.text.PlainText;
import dev.cotenant.service.access.Authorization;
import dev.cotenant.service.access.Caller;
import dev.cotenant.service.access.Endpoint;
import dev.cotenant.service.access.Refusal;
import dev.cotenant.service.access.StatusView;
import dev.cotenant.service.overload.RequestTimes;
import dev.cotenant.service.rest.query.QueryNames;
import dev.cotenant.service.rest.query.TextWidth;
import io.vertx.ext.web.RoutingContext;
import jakarta.ws.rs.HttpMethod;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerResponseContext;
import jakarta.ws.rs.container.ResourceInfo;
import jakarta.ws.rs.core.MultivaluedMap;
import jakarta.ws.rs.core.Response;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.net.URI;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jboss.logging.Logger;
import org.jboss.resteasy.reactive.server.ServerRequestFilter;
import org.jboss.resteasy.reactive.server.ServerResponseFilter;
import org.jspecify.annotations.Nullable;

/**
 * Refuses what the table of endpoints does not allow the caller, and query parameters that the call
 * does not take, before any of the body is read, and logs who changed what. Where the namespace is
 * in the body or the object, the resource method decides with its {@link Call}; an answer without
 * such a decision is withheld.
 */
final class AuthorizationFilter {
  private static final Logger LOG = Logger.getLogger(AuthorizationFilter.class);
  private static final Logger CHANGES = Logger.getLogger("dev.cotenant.changes");
  private static final String NAMESPACE = "namespace";

  private final Authorization authorization;
  private final QueryNames names = new QueryNames();

  AuthorizationFilter(Authorization authorization) {
    this.authorization = authorization;
  }

  @ServerRequestFilter
  @Nullable Response check(
      ContainerRequestContext context, ResourceInfo resource, RoutingContext routing) {
    Optional<Endpoint> endpoint = endpoint(resource.getResourceMethod());
    if (endpoint.isEmpty()) {
      LOG.errorf("%s is not in the table of endpoints", resource.getResourceMethod());
      return Problems.of(Refusal.notInTable());
    }
    RequestTimes.name(routing, endpoint.get().template());
    Call call = new Call(caller(context), endpoint.get(), authorization);
    context.setSecurityContext(call);
    switch (endpoint.get().scope()) {
      case CLUSTER -> call.requireEverywhere();
      case QUERY -> requireInQuery(call, context.getUriInfo().getQueryParameters());
      case PATH ->
          call.requireIn(
              Objects.requireNonNull(context.getUriInfo().getPathParameters().getFirst(NAMESPACE)));
      case BODY, OBJECT -> {} // the resource method decides
    }
    names.check(
        resource.getResourceMethod(),
        context.getUriInfo().getQueryParameters().keySet(),
        endpoint.get().scope() == Endpoint.Scope.QUERY
            ? Set.of(NAMESPACE, StatusView.PARAMETER, TextWidth.PARAMETER)
            : Set.of(StatusView.PARAMETER, TextWidth.PARAMETER));
    return null;
  }

  private static void requireInQuery(Call call, MultivaluedMap<String, String> parameters) {
    @Nullable String namespace = parameters.getFirst(NAMESPACE);
    if (namespace == null) {
      call.requireEverywhere();
    } else {
      call.requireOnly(namespace);
    }
  }

  private static Caller caller(ContainerRequestContext context) {
    if (context.getProperty(TokenFilter.CALLER) instanceof Caller caller) {
      return caller;
    }
    throw new IllegalStateException("no filter has authenticated this caller");
  }

  /**
   * The endpoint of a resource method, looked up by its annotations and so by the code that runs.
   */
  static Optional<Endpoint> endpoint(Method method) {
    String template =
        Stream.of(
                method.getDeclaringClass().getAnnotation(Path.class),
                method.getAnnotation(Path.class))
            .filter(Objects::nonNull)
            .map(path -> path.value().replaceAll("^/+|/+$", ""))
            .filter(path -> !path.isEmpty())
            .collect(Collectors.joining("/", "/", ""));
    return Arrays.stream(method.getAnnotations())
        .map(Annotation::annotationType)
        .map(type -> type.getAnnotation(HttpMethod.class))
        .filter(Objects::nonNull)
        .findFirst()
        .flatMap(http -> Endpoint.of(http.value(), template));
  }

  @ServerResponseFilter
  void answered(ContainerRequestContext request, ContainerResponseContext response) {
    boolean done = response.getStatusInfo().getFamily() == Response.Status.Family.SUCCESSFUL;
    if (!done || !(request.getSecurityContext() instanceof Call call)) {
      return;
    }
    if (!call.isDecided()) {
      LOG.errorf("%s responded without an authorization check", call.endpoint());
      response.setStatus(Response.Status.FORBIDDEN.getStatusCode());
      response.setEntity(Problems.of(Refusal.notInTable()).getEntity());
    } else if (call.endpoint().isChange()) {
      log(call, request, response);
    }
  }

  private static void log(
      Call call, ContainerRequestContext request, ContainerResponseContext response) {
    @Nullable URI made = response.getLocation();
    CHANGES.infof(
        "%s: %s %s: %s",
        call.caller().recorded(),
        call.endpoint().verb(),
        call.endpoint().resource(),
        PlainText.of(made == null ? request.getUriInfo().getPath() : made.getPath()));
  }
}
