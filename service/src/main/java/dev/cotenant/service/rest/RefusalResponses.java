package dev.cotenant.service.rest;

import io.quarkus.smallrye.openapi.OpenApiFilter;
import java.util.Map;
import org.eclipse.microprofile.openapi.OASFactory;
import org.eclipse.microprofile.openapi.OASFilter;
import org.eclipse.microprofile.openapi.models.Operation;
import org.eclipse.microprofile.openapi.models.responses.APIResponse;

/** Adds to every operation of the document how callers are refused. */
@OpenApiFilter(stages = OpenApiFilter.RunStage.BUILD)
public final class RefusalResponses implements OASFilter {
  private static final Map<String, String> REFUSALS =
      Map.of(
          "401", "No token, or one that is not valid here (token-required)",
          "403", "The caller lacks the right, which the detail names (forbidden)",
          "429", "Too many unknown tokens lately (too-many-unknown-tokens)",
          "503",
              "The API server that knows callers and their rights does not answer"
                  + " (tokens-unavailable, authorization-unavailable), or another part that the"
                  + " call needs");

  @Override
  public Operation filterOperation(Operation operation) {
    REFUSALS.forEach((status, description) -> {
      if (!operation.getResponses().hasAPIResponse(status)) {
        operation.getResponses().addAPIResponse(status, refusal(description));
      }
    });
    return operation;
  }

  private static APIResponse refusal(String description) {
    return OASFactory.createAPIResponse()
        .description(description)
        .content(
            OASFactory.createContent()
                .addMediaType(ProblemView.MEDIA_TYPE, OASFactory.createMediaType()));
  }
}
