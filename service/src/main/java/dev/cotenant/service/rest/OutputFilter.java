package dev.cotenant.service.rest;

import dev.cotenant.domain.InputException;
import dev.cotenant.service.rest.decision.TextAnswers;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerResponseContext;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import org.jboss.resteasy.reactive.server.ServerRequestFilter;
import org.jboss.resteasy.reactive.server.ServerResponseFilter;
import org.jspecify.annotations.Nullable;

/**
 * The query parameter {@code output}, for clients that cannot choose by {@code Accept}, as {@code
 * kubectl get --raw}: {@code text} answers in sentences and tables, {@code json} in JSON; errors
 * are objects of kind Status with either.
 */
final class OutputFilter {
  static final String PARAMETER = "output";
  private static final String TEXT = "text";
  private static final String JSON = "json";

  @ServerRequestFilter
  void check(ContainerRequestContext request) {
    String output = output(request);
    if (output != null && !output.equals(TEXT) && !output.equals(JSON)) {
      throw InputException.invalidArgument(
          "bad-output", "'output' is text or json, not '" + output + "'.");
    }
  }

  @ServerResponseFilter
  void convert(ContainerRequestContext request, ContainerResponseContext response) {
    String output = output(request);
    if (output == null || !response.hasEntity()) {
      return;
    }
    if (response.getEntity() instanceof ProblemView problem) {
      String retry = response.getHeaderString(HttpHeaders.RETRY_AFTER);
      // With the header kubectl would repeat the request up to ten times, without a word.
      response.getHeaders().remove(HttpHeaders.RETRY_AFTER);
      response.setEntity(StatusView.of(problem, retry), null, MediaType.APPLICATION_JSON_TYPE);
    } else if (output.equals(TEXT)) {
      TextAnswers.of(response.getEntity())
          .ifPresent(text ->
              response.setEntity(text, null, MediaType.TEXT_PLAIN_TYPE.withCharset("UTF-8")));
    }
  }

  /** Converts a refusal before any endpoint is chosen, which response filters do not see. */
  static Response convert(ContainerRequestContext request, Response refusal) {
    return output(request) != null && refusal.getEntity() instanceof ProblemView problem
        ? Response.fromResponse(refusal)
            .header(HttpHeaders.RETRY_AFTER, null)
            .type(MediaType.APPLICATION_JSON_TYPE)
            .entity(StatusView.of(problem, refusal.getHeaderString(HttpHeaders.RETRY_AFTER)))
            .build()
        : refusal;
  }

  private static @Nullable String output(ContainerRequestContext request) {
    return request.getUriInfo().getQueryParameters().getFirst(PARAMETER);
  }
}
