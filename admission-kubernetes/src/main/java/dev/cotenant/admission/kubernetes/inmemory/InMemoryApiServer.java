package dev.cotenant.admission.kubernetes.inmemory;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.kubernetes.inmemory.ObjectStore.Answer;
import dev.cotenant.admission.kubernetes.inmemory.ObjectStore.Change;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/**
 * Answers requests to an API server from objects in memory, strict where the real one is: resource
 * versions, tests in patches, gates that are only removed, preconditions of deletions, lists in
 * pages, watches from a version on that end in 410 once it is forgotten.
 *
 * <p>It knows no schema, no admission, no authorization and no graceful deletion: an evicted pod is
 * gone.
 */
public final class InMemoryApiServer {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final ObjectStore store;

  public InMemoryApiServer(ObjectStore store) {
    this.store = store;
  }

  /** What is asked. */
  public record Request(String method, String path, Map<String, String> query, String body) {
    /** Of an address. */
    public static Request of(String method, URI address, String body) {
      Map<String, String> query = new HashMap<>();
      String raw = address.getRawQuery();
      for (String pair : raw == null ? new String[0] : raw.split("&", -1)) {
        String[] parts = pair.split("=", 2);
        query.put(parts[0], parts.length < 2 ? "" : decoded(parts[1]));
      }
      return new Request(method, address.getPath(), query, body);
    }

    private static String decoded(String text) {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    /** Whether it is answered by {@link #watch}. */
    public boolean isWatch() {
      return query.containsKey("watch");
    }
  }

  /** What a path is about. */
  private record Target(String resource, String namespace, String name, String part) {
    /** {@code /api/v1/…} or {@code /apis/GROUP/VERSION/…}. */
    static Target of(String path) {
      List<String> parts = Arrays.asList(path.substring(1).split("/"));
      List<String> rest = parts.subList(parts.getFirst().equals("api") ? 2 : 3, parts.size());
      boolean namespaced = rest.size() > 2 && rest.getFirst().equals("namespaces");
      List<String> local = namespaced ? rest.subList(2, rest.size()) : rest;
      return new Target(
          local.getFirst(), namespaced ? rest.get(1) : "", part(local, 1), part(local, 2));
    }

    private static String part(List<String> parts, int index) {
      return parts.size() > index ? parts.get(index) : "";
    }
  }

  /** The answer to a request that is no watch. */
  public Answer answer(Request request) throws IOException {
    Target target = Target.of(request.path);
    JsonNode body = MAPPER.readTree(request.body.isEmpty() ? "{}" : request.body);
    return switch (request.method) {
      case "GET" -> target.name.isEmpty() ? list(target, request) : get(target);
      case "POST" ->
          target.part.equals("eviction")
              ? store.delete(
                  target.resource, target.namespace, target.name, body.path("deleteOptions"))
              : store.create(target.resource, target.namespace, (ObjectNode) body);
      case "PUT" ->
          store.replace(target.resource, target.namespace, target.name, (ObjectNode) body);
      case "PATCH" -> store.patch(target.resource, target.namespace, target.name, body);
      case "DELETE" -> store.delete(target.resource, target.namespace, target.name, body);
      default -> ObjectStore.status(405, "MethodNotAllowed", request.method);
    };
  }

  private Answer get(Target target) {
    return store
        .find(target.resource, target.namespace, target.name)
        .map(object -> new Answer(200, object))
        .orElseGet(() -> ObjectStore.status(404, "NotFound", target + " not found"));
  }

  /**
   * Every page has the version of the first one, from which a watch shows what changed since, and
   * begins after the last object of the page before.
   */
  private Answer list(Target target, Request request) {
    ObjectStore.Listing listing = store.listing(target.resource, target.namespace);
    String[] token = request.query.getOrDefault("continue", listing.version() + ":").split(":", 2);
    List<ObjectNode> all =
        listing.objects().stream()
            .filter(object -> isSelected(object, request))
            .filter(object -> ObjectStore.key(object).compareTo(token[1]) > 0)
            .toList();
    int limit = Integer.parseInt(request.query.getOrDefault("limit", "1000000"));
    List<ObjectNode> page = all.subList(0, Math.min(all.size(), limit));
    ObjectNode list = MAPPER.createObjectNode().put("kind", "List").put("apiVersion", "v1");
    ObjectNode metadata = list.putObject("metadata");
    metadata.put("resourceVersion", token[0]);
    if (page.size() < all.size()) {
      metadata.put("continue", token[0] + ":" + ObjectStore.key(page.getLast()));
    }
    ArrayNode items = list.putArray("items");
    page.forEach(items::add);
    return new Answer(200, list);
  }

  private static boolean isSelected(JsonNode object, Request request) {
    String field = request.query.getOrDefault("fieldSelector", "");
    String name = object.path("metadata").path("name").asText();
    if (!field.isEmpty() && !field.equals("metadata.name=" + name)) {
      return false;
    }
    String[] selector = request.query.getOrDefault("labelSelector", "").split("=", 2);
    return selector.length < 2
        || selector[1].equals(object.path("metadata").path("labels").path(selector[0]).asText());
  }

  /** Writes changes until it is to end, or what came before is forgotten. */
  public void watch(Request request, OutputStream out, BooleanSupplier goesOn)
      throws IOException, InterruptedException {
    long since = Long.parseLong(request.query.getOrDefault("resourceVersion", "0"));
    String resource = Target.of(request.path).resource;
    out.flush(); // the headers, so that the client knows that it watches
    while (goesOn.getAsBoolean()) {
      if (store.isForgotten(since)) {
        event(out, "ERROR", ObjectStore.status(410, "Expired", "too old resource version").body());
        return;
      }
      long now = store.version(); // read first: every change until then is among the next ones
      for (Change change : store.changesAfter(since, resource)) {
        since = change.version();
        if (isSelected(change.object(), request)) {
          event(out, change.type(), change.object());
        }
      }
      if (request.query.containsKey("allowWatchBookmarks") && now > since + 100) {
        bookmark(out, now);
        since = now;
      }
    }
  }

  private static void bookmark(OutputStream out, long version) throws IOException {
    ObjectNode object = MAPPER.createObjectNode();
    object.putObject("metadata").put("resourceVersion", String.valueOf(version));
    event(out, "BOOKMARK", object);
  }

  private static void event(OutputStream out, String type, JsonNode object) throws IOException {
    ObjectNode event = MAPPER.createObjectNode().put("type", type);
    event.set("object", object);
    out.write((event + "\n").getBytes(StandardCharsets.UTF_8));
    out.flush();
  }
}
