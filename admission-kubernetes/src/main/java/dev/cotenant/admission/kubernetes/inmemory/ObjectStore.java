package dev.cotenant.admission.kubernetes.inmemory;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.kubernetes.inmemory.JsonPatches.DoesNotApply;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Objects by their paths, with versions and a log of the newest changes. Safe for use by many
 * threads.
 */
public final class ObjectStore {
  private static final long LONG_ENOUGH_NANOS = 50_000_000;

  /** Watches that begin before so many changes are too old. */
  private static final int MAX_CHANGES = 20_000;

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  /** By resource ({@code pods}), then by namespace and name. */
  private final Map<String, Map<String, ObjectNode>> objects = new TreeMap<>();

  private final List<Change> log = new ArrayList<>();
  private long version = 100;
  private long forgotten;

  /**
   * Opened by the next change. Virtual threads that wait for a monitor instead may hold every
   * carrier while the one that gets it has none.
   */
  private volatile CountDownLatch changed = new CountDownLatch(1);

  /** A change, as a watch shows it. */
  public record Change(long version, String resource, String type, ObjectNode object) {}

  /** An answer: a code and a body. */
  public record Answer(int code, JsonNode body) {}

  public synchronized long version() {
    return version;
  }

  /** The versions until now are forgotten: watches from there are too old. */
  public synchronized void forget() {
    version++;
    forgotten = version;
    log.clear();
    wake();
  }

  /** Ends all waiting. */
  public synchronized void wake() {
    changed.countDown();
    changed = new CountDownLatch(1);
  }

  public synchronized boolean isForgotten(long since) {
    return since < forgotten;
  }

  /** Changes after a version; waits a little where there are none. */
  public List<Change> changesAfter(long since, String resource) throws InterruptedException {
    long end = System.nanoTime() + LONG_ENOUGH_NANOS;
    while (true) {
      CountDownLatch next = changed; // read first, so that no change is missed
      List<Change> found = find(since, resource);
      long left = end - System.nanoTime();
      if (!found.isEmpty() || !next.await(left, TimeUnit.NANOSECONDS)) {
        return found;
      }
    }
  }

  private synchronized List<Change> find(long since, String resource) {
    List<Change> found = new ArrayList<>();
    for (int i = log.size() - 1; i >= 0 && log.get(i).version > since; i--) {
      if (log.get(i).resource.equals(resource)) {
        found.add(log.get(i));
      }
    }
    return found.reversed();
  }

  public synchronized List<ObjectNode> list(String resource, String namespace) {
    return of(resource).entrySet().stream()
        .filter(entry -> namespace.isEmpty() || entry.getKey().startsWith(namespace + "/"))
        .map(entry -> entry.getValue().deepCopy())
        .toList();
  }

  /** Where an object is among those of its resource, in whose order lists are. */
  static String key(ObjectNode object) {
    return object.at("/metadata/namespace").asText() + "/" + object.at("/metadata/name").asText();
  }

  /** Objects at one resource version. */
  public record Listing(long version, List<ObjectNode> objects) {}

  /** {@link #list}, with the version. */
  public synchronized Listing listing(String resource, String namespace) {
    return new Listing(version, list(resource, namespace));
  }

  public synchronized Optional<ObjectNode> find(String resource, String namespace, String name) {
    return Optional.ofNullable(of(resource).get(namespace + "/" + name)).map(ObjectNode::deepCopy);
  }

  public synchronized Answer create(String resource, String namespace, ObjectNode given) {
    ObjectNode object = given.deepCopy();
    ObjectNode metadata = object.withObject("/metadata");
    if (!metadata.has("name")) {
      String prefix = metadata.path("generateName").asText("object-");
      metadata.put("name", prefix + UUID.randomUUID().toString().substring(0, 8));
    }
    if (!namespace.isEmpty()) {
      metadata.put("namespace", namespace);
    }
    String key = namespace + "/" + metadata.path("name").asText();
    if (of(resource).containsKey(key)) {
      return status(409, "AlreadyExists", resource + " \"" + key + "\" already exists");
    }
    metadata.put("uid", UUID.randomUUID().toString());
    if (!metadata.has("creationTimestamp")) {
      metadata.put("creationTimestamp", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
    }
    put(resource, key, "ADDED", object);
    return new Answer(201, object.deepCopy());
  }

  public synchronized Answer replace(
      String resource, String namespace, String name, ObjectNode given) {
    String key = namespace + "/" + name;
    ObjectNode before = of(resource).get(key);
    if (before == null) {
      return notFound(resource, key);
    }
    String tested = given.path("metadata").path("resourceVersion").asText("");
    if (!tested.isEmpty() && !tested.equals(resourceVersion(before))) {
      return status(409, "Conflict", "the object has been modified");
    }
    ObjectNode object = given.deepCopy();
    put(resource, key, "MODIFIED", object);
    return new Answer(200, object.deepCopy());
  }

  public synchronized Answer patch(String resource, String namespace, String name, JsonNode patch) {
    String key = namespace + "/" + name;
    ObjectNode before = of(resource).get(key);
    if (before == null) {
      return notFound(resource, key);
    }
    try {
      ObjectNode after =
          patch.isArray() ? JsonPatches.apply(patch, before) : JsonPatches.merge(patch, before);
      Optional<String> broken =
          resource.equals("pods") ? PodRules.broken(before, after) : Optional.empty();
      if (broken.isPresent()) {
        return invalid(key, broken.get());
      }
      put(resource, key, "MODIFIED", after);
      return new Answer(200, after.deepCopy());
    } catch (DoesNotApply e) {
      return status(
          422, "Invalid", "the server rejected our request due to an error in our request");
    }
  }

  public synchronized Answer delete(
      String resource, String namespace, String name, JsonNode options) {
    String key = namespace + "/" + name;
    ObjectNode before = of(resource).get(key);
    if (before == null) {
      return notFound(resource, key);
    }
    String uid = options.path("preconditions").path("uid").asText("");
    if (!uid.isEmpty() && !uid.equals(before.path("metadata").path("uid").asText())) {
      return status(409, "Conflict", "Precondition failed: UID in precondition: " + uid);
    }
    of(resource).remove(key);
    ObjectNode last = before.deepCopy();
    stamp(last);
    log(resource, "DELETED", last);
    return new Answer(200, last);
  }

  private void put(String resource, String key, String type, ObjectNode object) {
    stamp(object);
    of(resource).put(key, object);
    log(resource, type, object.deepCopy());
  }

  private void stamp(ObjectNode object) {
    version++;
    object.withObject("/metadata").put("resourceVersion", String.valueOf(version));
  }

  private void log(String resource, String type, ObjectNode object) {
    log.add(new Change(version, resource, type, object));
    if (log.size() > MAX_CHANGES) {
      List<Change> oldest = log.subList(0, MAX_CHANGES / 2);
      forgotten = oldest.getLast().version;
      oldest.clear();
    }
    wake();
  }

  private Map<String, ObjectNode> of(String resource) {
    return objects.computeIfAbsent(resource, _ -> new TreeMap<>());
  }

  private static String resourceVersion(ObjectNode object) {
    return object.path("metadata").path("resourceVersion").asText();
  }

  private static Answer notFound(String resource, String key) {
    return status(404, "NotFound", resource + " \"" + key + "\" not found");
  }

  private static Answer invalid(String key, String field) {
    Answer answer = status(422, "Invalid", "Pod \"" + key + "\" is invalid: " + field);
    ObjectNode cause = JSON.objectNode().put("reason", "FieldValueForbidden").put("field", field);
    ((ObjectNode) answer.body).putObject("details").putArray("causes").add(cause);
    return answer;
  }

  public static Answer status(int code, String reason, String message) {
    ObjectNode status = JSON.objectNode().put("kind", "Status").put("apiVersion", "v1");
    status.put("status", "Failure").put("code", code).put("reason", reason).put("message", message);
    return new Answer(code, status);
  }
}
