package dev.cotenant.service.rest;

import static jakarta.ws.rs.core.MediaType.APPLICATION_JSON;

import dev.cotenant.service.access.Endpoint;
import io.quarkus.smallrye.openapi.OpenApiFilter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.eclipse.microprofile.openapi.OASFactory;
import org.eclipse.microprofile.openapi.OASFilter;
import org.eclipse.microprofile.openapi.models.Components;
import org.eclipse.microprofile.openapi.models.OpenAPI;
import org.eclipse.microprofile.openapi.models.Operation;
import org.eclipse.microprofile.openapi.models.PathItem;
import org.eclipse.microprofile.openapi.models.examples.Example;
import org.eclipse.microprofile.openapi.models.media.MediaType;
import org.eclipse.microprofile.openapi.models.media.Schema;
import org.eclipse.microprofile.openapi.models.parameters.Parameter;
import org.eclipse.microprofile.openapi.models.parameters.RequestBody;
import org.eclipse.microprofile.openapi.models.security.SecurityScheme;
import org.jboss.jandex.IndexView;

/**
 * Adds to every operation of the document its identifier, its refusals, the parameter of its scope,
 * and the example of its answer: the component of META-INF/openapi.json with the name of the call,
 * such as {@code get.gpus.uuid.forecast}. Schemas get what {@link OpenApiSchemas} knows.
 */
@OpenApiFilter(stages = OpenApiFilter.RunStage.BUILD)
public final class OpenApiCompletion implements OASFilter {
  private static final Map<String, String> SUCCESSES =
      Map.of("200", "OK", "201", "Created", "202", "Accepted");

  private static final String TOKEN = "token";
  private static final Pattern NEXT_WORD = Pattern.compile("[^a-zA-Z]+([a-zA-Z])");

  private final OpenApiSchemas schemas;

  /**
   * As Quarkus makes it.
   *
   * @param index index of all schema classes
   */
  public OpenApiCompletion(IndexView index) {
    schemas = new OpenApiSchemas(index);
  }

  @Override
  public void filterOpenAPI(OpenAPI document) {
    schemas.complete(document.getComponents().getSchemas());
    document.addServer(
        OASFactory.createServer()
            .url("/")
            .description("The service, or a path that a proxy" + " forwards to it"));
    document
        .getComponents()
        .addSecurityScheme(
            TOKEN,
            OASFactory.createSecurityScheme()
                .type(SecurityScheme.Type.HTTP)
                .scheme("bearer")
                .description(
                    "A token of a Kubernetes service account, or of the service's token file;"
                        + " callers on the same machine may need none"));
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
                  OpenApiRefusals.addTo(operation, method.name(), path);
                  unite(operation, document.getComponents());
                  if (examples.containsKey(name)) {
                    show("answer", name, operation);
                  }
                  String others = name + "__";
                  for (String other : examples.keySet()) {
                    if (other.startsWith(others)) { // the answer to the request of this name
                      show(other.substring(others.length()), other, operation);
                    }
                  }
                  if (isScopedByQuery(method, path) && !describesNamespace(operation)) {
                    operation.addParameter(namespace());
                  }
                }));
  }

  /** Answers of several kinds become one component, named after the operation. */
  private static void unite(Operation operation, Components components) {
    for (MediaType type : answers(operation)) {
      List<Schema> kinds = type.getSchema() == null ? null : type.getSchema().getOneOf();
      if (kinds != null) {
        String id = operation.getOperationId();
        String name = id.substring(0, 1).toUpperCase(Locale.ROOT) + id.substring(1) + "Answer";
        components.addSchema(
            name,
            OpenApiSchemas.united(
                kinds.stream()
                    .map(kind -> components.getSchemas().get(component(kind.getRef())))
                    .toList()));
        type.setSchema(OASFactory.createSchema().ref(name));
      }
    }
  }

  private static String component(String reference) {
    return reference.substring(reference.lastIndexOf('/') + 1);
  }

  /** The JSON of successful answers. */
  private static List<MediaType> answers(Operation operation) {
    return operation.getResponses().getAPIResponses().entrySet().stream()
        .filter(response -> response.getKey().startsWith("2"))
        .map(response -> response.getValue().getContent().getMediaType(APPLICATION_JSON))
        .filter(Objects::nonNull) // streams of events
        .toList();
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

  /** Where it must be given. */
  private static boolean describesNamespace(Operation operation) {
    return Objects.requireNonNullElse(operation.getParameters(), List.<Parameter>of()).stream()
        .anyMatch(parameter -> "namespace".equals(parameter.getName()));
  }

  private static Parameter namespace() {
    return OASFactory.createParameter()
        .name("namespace")
        .in(Parameter.In.QUERY)
        .description(
            "Restricts the answer to pods of this namespace and requires the right in it only;"
                + " absent: requires the right in the whole cluster")
        .schema(OASFactory.createSchema().addType(Schema.SchemaType.STRING));
  }

  private static void show(String name, String example, Operation operation) {
    answers(operation)
        .forEach(type -> type.addExample(name, OASFactory.createExample().ref(example)));
  }

  /** Generated clients send the first; a document that has a schema is of more use than a file. */
  private static void putTypedDocumentsFirst(RequestBody body) {
    MediaType json = body.getContent().getMediaType(APPLICATION_JSON);
    if (json != null && json.getSchema() != null && json.getSchema().getRef() != null) {
      Map<String, MediaType> types = new LinkedHashMap<>();
      types.put(APPLICATION_JSON, json);
      types.putAll(body.getContent().getMediaTypes());
      body.getContent().setMediaTypes(types);
    }
  }

  @Override
  public Operation filterOperation(Operation operation) {
    if (operation.getRequestBody() != null) {
      putTypedDocumentsFirst(operation.getRequestBody());
    }
    operation
        .getResponses()
        .getAPIResponses()
        .forEach((status, response) -> {
          if (response.getDescription() == null) {
            response.setDescription(SUCCESSES.get(status));
          }
        });
    return operation;
  }
}
