package dev.cotenant.service.rest.decision;

import dev.cotenant.domain.InputException;
import dev.cotenant.engine.sizing.RecommendationCsv;
import dev.cotenant.service.access.StatusView;
import dev.cotenant.service.rest.ProblemView;
import dev.cotenant.service.rest.query.TextWidth;
import dev.cotenant.service.rest.serving.RecommendationsView;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerResponseContext;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import org.jboss.resteasy.reactive.server.ServerRequestFilter;
import org.jboss.resteasy.reactive.server.ServerResponseFilter;
import org.jspecify.annotations.Nullable;

/**
 * The query parameter {@code output}, for clients that cannot choose by {@code Accept}, as {@code
 * kubectl get --raw}: {@code text} answers in sentences and tables, {@code json} in JSON, and
 * {@code csv} recommendations as CSV; errors are objects of kind Status with each. {@link
 * TextWidth} bounds the lines of text.
 */
final class OutputFilter {
  private static final String TEXT = "text";
  private static final String JSON = "json";
  private static final String CSV = "csv";
  private static final String OF_CSV = "/v1/recommendations";

  @ServerRequestFilter
  void check(ContainerRequestContext request) {
    String output = output(request);
    boolean isCsv = CSV.equals(output) && request.getUriInfo().getPath().endsWith(OF_CSV);
    if (output != null && !output.equals(TEXT) && !output.equals(JSON) && !isCsv) {
      throw InputException.invalidArgument(
          "bad-output", "'output' is text or json, not '" + output + "'.");
    }
    TextWidth.of(request.getUriInfo()); // refuses what is no number
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
      response.setEntity(status(problem, retry), null, MediaType.APPLICATION_JSON_TYPE);
    } else if (output.equals(TEXT)) {
      TextResponses.of(response.getEntity(), TextWidth.of(request.getUriInfo()))
          .ifPresent(text ->
              response.setEntity(text, null, MediaType.TEXT_PLAIN_TYPE.withCharset("UTF-8")));
    } else if (output.equals(CSV) && response.getEntity() instanceof RecommendationsView found) {
      String lines = String.join("\n", RecommendationCsv.lines(found.workloads())) + "\n";
      response.setEntity(lines, null, MediaType.valueOf("text/csv;charset=UTF-8"));
    }
  }

  private static StatusView status(ProblemView problem, @Nullable String retrySeconds) {
    String id = problem.errorId() == null ? "" : " " + problem.errorId();
    return StatusView.of(problem.status(), problem.detail() + id, retrySeconds);
  }

  private static @Nullable String output(ContainerRequestContext request) {
    return request.getUriInfo().getQueryParameters().getFirst(StatusView.PARAMETER);
  }
}
