package dev.cotenant.service.rest;

import dev.cotenant.service.access.Endpoint;
import io.quarkus.smallrye.openapi.OpenApiFilter;
import jakarta.ws.rs.core.MediaType;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.eclipse.microprofile.openapi.OASFactory;
import org.eclipse.microprofile.openapi.OASFilter;
import org.eclipse.microprofile.openapi.models.OpenAPI;
import org.eclipse.microprofile.openapi.models.Operation;
import org.eclipse.microprofile.openapi.models.PathItem;
import org.eclipse.microprofile.openapi.models.examples.Example;
import org.eclipse.microprofile.openapi.models.media.Schema;
import org.eclipse.microprofile.openapi.models.parameters.Parameter;
import org.eclipse.microprofile.openapi.models.responses.APIResponse;
import org.eclipse.microprofile.openapi.models.security.SecurityScheme;
import org.jboss.jandex.IndexView;

/**
 * Adds to every operation of the document its identifier, its refusals, the parameter of its scope,
 * and the example of its answer: the component of META-INF/openapi.json with the name of the call,
 * such as {@code get.gpus.uuid.forecast}. Schemas get what {@link OpenApiSchemas} knows.
 */
@OpenApiFilter(stages = OpenApiFilter.RunStage.BUILD)
public final class OpenApiCompletion implements OASFilter {
  private static final Map<String, String> REFUSALS =
      Map.of(
          "401", "No token, or one that is not valid here (token-required)",
          "403", "The caller lacks the right, which the detail names (forbidden)",
          "429", "Too many unknown tokens lately (too-many-unknown-tokens)",
          "503",
              "The API server that knows callers and their rights does not answer"
                  + " (tokens-unavailable, authorization-unavailable), or another part that the"
                  + " call needs");

  private static final String TOKEN = "token";
  private static final Pattern NEXT_WORD = Pattern.compile("[^a-zA-Z]+([a-zA-Z])");

  private final OpenApiSchemas schemas;

  /**
   * As Quarkus makes it.
   *
   * @param index of the classes of all schemas
   */
  public OpenApiCompletion(IndexView index) {
    schemas = new OpenApiSchemas(index);
  }

  @Override
  public void filterOpenAPI(OpenAPI document) {
    schemas.complete(document.getComponents().getSchemas());
    document.addServer(
        OASFactory.createServer().url("/").description("The service, or a path that leads to it"));
    document
        .getComponents()
        .addSecurityScheme(
            TOKEN,
            OASFactory.createSecurityScheme()
                .type(SecurityScheme.Type.HTTP)
                .scheme("bearer")
                .description(
                    "A token of a Kubernetes service account, or one of the service's file of"
                        + " tokens; callers of the same machine may need none"));
    document.addSecurityRequirement(OASFactory.createSecurityRequirement().addScheme(TOKEN));
    Map<String, Example> examples = document.getComponents().getExamples();
    document
        .getPaths()
        .getPathItems()
        .forEach((path, item) ->
            item.getOperations()
                .forEach((method, operation) -> {
                  String name = name(method, path);
                  operation.setOperationId(identifier(name));
                  if (examples.containsKey(name)) {
                    show("answer", name, operation);
                  }
                  String others = name + "__";
                  for (String other : examples.keySet()) {
                    if (other.startsWith(others)) { // the answer to the request of this name
                      show(other.substring(others.length()), other, operation);
                    }
                  }
                  if (isScopedByQuery(method, path)) {
                    operation.addParameter(namespace());
                  }
                }));
  }

  private static String name(PathItem.HttpMethod method, String path) {
    return method.name().toLowerCase(Locale.ROOT)
        + path.replaceFirst("^/v1", "").replace('/', '.').replaceAll("[{}]", "");
  }

  /** {@code getGpusUuidForecast} of {@code get.gpus.uuid.forecast}. */
  private static String identifier(String name) {
    return NEXT_WORD.matcher(name).replaceAll(word -> word.group(1).toUpperCase(Locale.ROOT));
  }

  private static boolean isScopedByQuery(PathItem.HttpMethod method, String path) {
    return Endpoint.of(method.name(), path)
        .filter(endpoint -> endpoint.scope() == Endpoint.Scope.QUERY)
        .isPresent();
  }

  private static Parameter namespace() {
    return OASFactory.createParameter()
        .name("namespace")
        .in(Parameter.In.QUERY)
        .description(
            "Restricts the answer to the pods of this namespace and needs a right in it only;"
                + " absent, a right in the whole cluster")
        .schema(OASFactory.createSchema().addType(Schema.SchemaType.STRING));
  }

  private static void show(String name, String example, Operation operation) {
    operation
        .getResponses()
        .getAPIResponses()
        .forEach((status, response) -> {
          if (status.startsWith("2")) {
            response
                .getContent()
                .getMediaType(MediaType.APPLICATION_JSON)
                .addExample(name, OASFactory.createExample().ref(example));
          }
        });
  }

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
