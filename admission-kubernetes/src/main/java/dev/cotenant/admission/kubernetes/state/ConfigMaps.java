package dev.cotenant.admission.kubernetes.state;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.kubernetes.api.ApiCall;
import dev.cotenant.admission.kubernetes.api.ApiResponse;
import dev.cotenant.admission.kubernetes.api.ApiServer;
import dev.cotenant.admission.kubernetes.api.Json;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.state.Documents;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Documents as ConfigMaps of one namespace. Binary data is ignored; nothing is written without
 * leadership.
 */
public final class ConfigMaps implements Documents {
  private static final String CORE = "/api/v1";

  private final ApiServer server;
  private final String namespace;
  private final BooleanSupplier mayWrite;
  private final Consumer<String> warnings;

  /**
   * @param server the API server
   * @param namespace of all ConfigMaps
   * @param mayWrite whether this process leads now
   * @param warnings one line each
   */
  public ConfigMaps(
      ApiServer server, String namespace, BooleanSupplier mayWrite, Consumer<String> warnings) {
    this.server = server;
    this.namespace = namespace;
    this.mayWrite = mayWrite;
    this.warnings = warnings;
  }

  private String path(String name) {
    return ApiCall.namespaced(CORE, namespace, "configmaps", name);
  }

  @Override
  public ReadResult read(String name) {
    try {
      ApiResponse answer = server.call(ApiCall.get(path(name)));
      if (answer.code() == ApiResponse.NOT_FOUND) {
        return new ReadResult.Missing();
      }
      @Nullable String version = Json.text(answer.json().path("metadata"), "resourceVersion");
      return answer.isSuccessful() && version != null
          ? new ReadResult.Found(version, content(name, answer.json()))
          : new ReadResult.Failed(answer.message());
    } catch (IOException e) {
      return new ReadResult.Failed(ApiServer.describe(e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new ReadResult.Failed("interrupted");
    }
  }

  private Content content(String name, JsonNode map) {
    String term =
        Json.textOr(map.path("metadata").path("annotations"), CotenantAnnotations.TERM, "0");
    boolean readable = term.matches("\\d{1,18}");
    if (!readable) {
      warnings.accept("The term of the ConfigMap " + name + " is not a number: '" + term + "'");
    }
    Map<String, String> entries = Json.texts(map.path("data"));
    return new Content(readable ? Long.parseLong(term) : 0, entries);
  }

  @Override
  public WriteOutcome write(String name, @Nullable String version, Content content) {
    if (!mayWrite.getAsBoolean()) {
      return new WriteOutcome.Refused("this process no longer leads");
    }
    ObjectNode map = object(name, version, content);
    ApiCall call =
        version == null
            ? ApiCall.post(ApiCall.namespaced(CORE, namespace, "configmaps"), map)
            : ApiCall.put(path(name), map);
    try {
      return outcome(server.call(call));
    } catch (IOException e) {
      return new WriteOutcome.Unknown(ApiServer.describe(e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new WriteOutcome.Unknown("interrupted");
    }
  }

  private static WriteOutcome outcome(ApiResponse answer) {
    if (answer.isSuccessful()) {
      @Nullable String version = Json.text(answer.json().path("metadata"), "resourceVersion");
      return version == null
          ? new WriteOutcome.Unknown("the answer has no version")
          : new WriteOutcome.Done(version);
    }
    return switch (answer.code()) {
      // Deleted meanwhile: the next read finds nothing, and it is created again.
      case ApiResponse.CONFLICT, ApiResponse.NOT_FOUND -> new WriteOutcome.Conflict();
      default ->
          answer.code() >= ApiResponse.SERVER_ERROR
              ? new WriteOutcome.Unknown(answer.message())
              : new WriteOutcome.Refused(answer.message());
    };
  }

  private ObjectNode object(String name, @Nullable String version, Content content) {
    ObjectNode map = Json.object().put("apiVersion", "v1").put("kind", "ConfigMap");
    ObjectNode metadata = map.putObject("metadata").put("name", name).put("namespace", namespace);
    if (version != null) {
      metadata.put("resourceVersion", version);
    }
    metadata.putObject("labels").put("app.kubernetes.io/managed-by", "cotenant");
    metadata.putObject("annotations").put(CotenantAnnotations.TERM, String.valueOf(content.term()));
    ObjectNode data = map.putObject("data");
    new TreeMap<>(content.entries()).forEach(data::put);
    return map;
  }
}
