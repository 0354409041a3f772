package dev.cotenant.admission.kubernetes.watch;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.kubernetes.api.ApiCall;
import dev.cotenant.admission.kubernetes.api.ApiResponse;
import dev.cotenant.admission.kubernetes.api.ApiServer;
import dev.cotenant.admission.kubernetes.api.Json;
import dev.cotenant.admission.kubernetes.api.Lines;
import dev.cotenant.admission.supervision.Heartbeat;
import dev.cotenant.admission.supervision.Loop;
import dev.cotenant.admission.supervision.LoopPlan;
import dev.cotenant.admission.supervision.Supervisor;
import dev.cotenant.domain.InputException;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Lists the objects of one kind and watches them, on a thread of its own, until it is closed.
 *
 * <p>Objects are read one by one and not stored here: lists come in pages, events line by line. A
 * watch that ends continues from its last version (bookmarks advance it); where the server has
 * dropped that version [HTTP 410], everything is listed again. A silent watch is opened again,
 * since it may be broken: most servers send bookmarks about every minute, but none where no object
 * of the kind has changed since their start, so silence is no failure.
 *
 * <p>A restart loses and repeats nothing: the version advances after its event is passed on, and
 * the sink passes on differences only.
 */
public final class ListWatch<T> implements AutoCloseable {
  private static final int PAGE = 500;
  private static final Duration WATCH_FOR = Duration.ofMinutes(5);
  private static final Duration MAX_PAUSE = Duration.ofSeconds(10);

  /** Pause before the next request for a kind that the server does not serve. */
  private static final Duration NOT_SERVED = Duration.ofSeconds(30);

  private final ApiServer server;
  private final ObjectKind<T> kind;
  private final ObjectSink<T> sink;
  private final WatchHealth health;
  private final Timing timing;
  private final Supervisor supervisor;
  private Duration pause;
  private @Nullable Loop loop;
  private volatile boolean closed;
  private volatile ApiServer.@Nullable Stream current;

  /** Resource version at which the watch starts; null before the first list. */
  private @Nullable String version;

  /**
   * The times of a watch.
   *
   * @param pause after the first failure; doubled with every further one
   * @param silence after which a watch is opened again
   */
  public record Timing(Duration pause, Duration silence) {
    static final Timing DEFAULT = new Timing(Duration.ofMillis(200), Duration.ofSeconds(150));
  }

  /**
   * The dependencies of every watch.
   *
   * @param server the API server
   * @param timing its times
   * @param supervisor runs the loop
   */
  public record Means(ApiServer server, Timing timing, Supervisor supervisor) {}

  ListWatch(Means means, ObjectKind<T> kind, ObjectSink<T> sink, WatchHealth health) {
    this.kind = kind;
    this.sink = sink;
    this.health = health;
    server = means.server();
    timing = means.timing();
    supervisor = means.supervisor();
    pause = timing.pause();
  }

  synchronized void start() {
    health.heard();
    loop =
        supervisor.start(
            LoopPlan.restarted("watch-" + kind.name(), server.longestSilence()), this::round);
  }

  /** Lists where no version is known, then watches until the server ends it. */
  private void round(Heartbeat heart) throws InterruptedException {
    try {
      String since = version == null ? list(heart) : version;
      version = since;
      watch(since, heart);
      pause = timing.pause();
    } catch (NotServedException _) {
      health.listed();
      sink.listed(Map.of(), Set.of());
      heart.rest(NOT_SERVED);
    } catch (IOException e) {
      if (!closed) {
        health.failed(ApiServer.describe(e));
        sink.failing();
      }
      heart.rest(pause);
      pause = shorter(pause.multipliedBy(2), MAX_PAUSE);
    }
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  /** Passes all objects to the sink, and returns the version of the list. */
  private String list(Heartbeat heart) throws IOException, InterruptedException {
    Map<String, T> all = new HashMap<>();
    Set<String> unreadable = new HashSet<>();
    Page page = new Page("", "");
    do {
      String query = "limit=" + PAGE;
      if (!page.next.isEmpty()) {
        query += "&continue=" + ApiCall.escaped(page.next);
      }
      page = readPage(kind.query(query), all, unreadable, heart);
    } while (!page.next.isEmpty());
    health.listed();
    sink.listed(all, unreadable);
    return page.version;
  }

  /** The server does not serve the kind: it has no objects. */
  private static final class NotServedException extends IOException {
    private static final long serialVersionUID = 1;

    NotServedException(String message) {
      super(message);
    }
  }

  /** The state of a list after a page. */
  private record Page(String version, String next) {}

  private Page readPage(String path, Map<String, T> all, Set<String> unreadable, Heartbeat heart)
      throws IOException, InterruptedException {
    try (ApiServer.Stream answer = opened(path);
        JsonParser parser = Json.MAPPER.createParser(answer.body())) {
      Page page = new Page("", "");
      parser.nextToken();
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String field = parser.currentName();
        JsonToken token = parser.nextToken();
        if (field.equals("items") && token == JsonToken.START_ARRAY) {
          while (parser.nextToken() != JsonToken.END_ARRAY) {
            collect(parser.readValueAsTree(), all, unreadable);
            health.heard();
            heart.beat();
          }
        } else if (field.equals("metadata")) {
          JsonNode metadata = parser.readValueAsTree();
          page =
              new Page(
                  Json.textOr(metadata, "resourceVersion", ""),
                  Json.textOr(metadata, "continue", ""));
        } else {
          parser.skipChildren();
        }
      }
      while (parser.nextToken() != null) {
        parser.skipChildren(); // an early close would cost the connection
      }
      if (page.version.isEmpty()) {
        throw new IOException("the answer to " + path + " is not a list");
      }
      return page;
    }
  }

  private ApiServer.Stream opened(String path) throws IOException, InterruptedException {
    ApiServer.Stream answer = server.open(path);
    if (answer.code() != ApiResponse.OK) {
      try (answer) {
        String why = "listing: " + answer.whole().message();
        throw answer.code() == ApiResponse.NOT_FOUND
            ? new NotServedException(why)
            : new IOException(why);
      }
    }
    return current(answer);
  }

  /** What {@link #close} closes; closed already where that was called meanwhile. */
  private ApiServer.Stream current(ApiServer.Stream answer) throws IOException {
    current = answer;
    if (closed) {
      answer.close();
    }
    return answer;
  }

  private void collect(JsonNode object, Map<String, T> all, Set<String> unreadable) {
    @Nullable String key = key(object);
    if (key != null) {
      try {
        read(object).ifPresent(read -> all.put(key, read));
      } catch (InputException e) {
        unreadable.add(key);
        health.skip(key, e);
      }
    }
  }

  /** A defect in one object must not hide all others. */
  private Optional<T> read(JsonNode object) {
    try {
      return kind.reader().apply(object);
    } catch (InputException e) {
      throw e;
    } catch (RuntimeException defect) {
      throw Json.malformed("cannot be read because of a defect: " + defect);
    }
  }

  private @Nullable String key(JsonNode object) {
    try {
      return kind.key().apply(object);
    } catch (InputException e) {
      health.skip("(without a name)", e);
      return null;
    }
  }

  /** Watches until the server ends it. */
  private void watch(String since, Heartbeat heart) throws IOException, InterruptedException {
    String path =
        kind.query(
            "watch=1&allowWatchBookmarks=true&resourceVersion="
                + ApiCall.escaped(since)
                + "&timeoutSeconds="
                + WATCH_FOR.toSeconds());
    ApiServer.Stream answer = current(server.open(path));
    health.heard();
    AtomicBoolean silent = new AtomicBoolean();
    Thread guard = Thread.ofVirtual().start(() -> guard(answer, silent));
    try (answer) {
      if (answer.code() != ApiResponse.OK) {
        String why = answer.whole().message();
        version = answer.code() == ApiResponse.GONE ? null : since;
        throw new IOException("watching: " + why);
      }
      follow(new Lines(answer.body()), heart);
    } catch (IOException e) {
      if (!silent.get()) {
        throw e;
      }
    } finally {
      guard.interrupt();
    }
  }

  private void follow(Lines lines, Heartbeat heart) throws IOException {
    heart.beatBefore(longestWatchSilence());
    String line = lines.next();
    while (line != null && !closed) {
      health.heard();
      heart.beat();
      JsonNode event = Json.parse(line);
      JsonNode object = event.path("object");
      String type = Json.textOr(event, "type", "");
      if (type.equals("ERROR")) {
        afterError(object);
        return;
      }
      apply(type, object);
      String seen = Json.text(object.path("metadata"), "resourceVersion");
      version = seen == null ? version : seen;
      heart.beatBefore(longestWatchSilence());
      line = lines.next();
    }
  }

  /** The guard checks four times in each silence. */
  private Duration longestWatchSilence() {
    return timing.silence().plus(timing.silence().dividedBy(4));
  }

  private void afterError(JsonNode status) throws IOException {
    if (status.path("code").asInt() != ApiResponse.GONE) {
      throw new IOException("the watch ended: " + Json.textOr(status, "message", "no reason"));
    }
    version = null;
  }

  private void apply(String type, JsonNode object) {
    switch (type) {
      case "ADDED", "MODIFIED" -> changed(object);
      case "DELETED" -> {
        @Nullable String key = key(object);
        if (key != null) {
          sink.removed(key);
        }
      }
      case "BOOKMARK" -> {}
      default -> health.skip(type, Json.malformed("came in an event of unknown type"));
    }
  }

  private void changed(JsonNode object) {
    @Nullable String key = key(object);
    if (key == null) {
      return;
    }
    try {
      Optional<T> read = read(object);
      if (read.isPresent()) {
        sink.changed(key, read.get());
      } else {
        sink.removed(key);
      }
    } catch (InputException e) {
      health.skip(key, e);
    }
  }

  /** Ends a silent watch; where that fails, the supervisor finds the loop silent. */
  private void guard(ApiServer.Stream answer, AtomicBoolean silent) {
    try {
      while (health.silentNanos() < timing.silence().toNanos()) {
        Thread.sleep(timing.silence().dividedBy(4));
      }
      silent.set(true);
      answer.close();
    } catch (IOException e) {
      health.failed(ApiServer.describe(e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the watch has ended
    }
  }

  /** Ends it; an event in progress may still be passed on. */
  @Override
  public synchronized void close() {
    closed = true;
    if (loop != null) {
      loop.close();
    }
    ApiServer.@Nullable Stream open = current;
    if (open != null) {
      try {
        open.close();
      } catch (IOException e) {
        health.failed(ApiServer.describe(e));
      }
    }
  }
}
