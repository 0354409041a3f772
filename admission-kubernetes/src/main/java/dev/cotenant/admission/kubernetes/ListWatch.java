package dev.cotenant.admission.kubernetes;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
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
 * <p>Objects are read one by one and never kept here: lists come in pages, events line by line. A
 * watch that ends goes on from the last version that was seen (bookmarks move it on); where the
 * server does not remember that one any more [HTTP 410], everything is listed anew. A watch that is
 * silent for too long is opened anew, as it may be broken: most servers send bookmarks about every
 * minute, but none where no object of the kind has changed since they started, so that silence is
 * no failure.
 */
final class ListWatch<T> implements AutoCloseable {
  private static final int PAGE = 500;
  private static final Duration WATCH_FOR = Duration.ofMinutes(5);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

  private final ApiServer server;
  private final ObjectKind<T> kind;
  private final ObjectSink<T> sink;
  private final WatchHealth health;
  private final Timing timing;
  private final Thread thread;
  private volatile boolean closed;
  private volatile ApiServer.@Nullable Stream current;

  /** The version from which on changes are not known; null while nothing is. */
  private @Nullable String version;

  /**
   * How patient it is.
   *
   * @param pause after a first failure; doubled with every further one
   * @param silence after which a watch is opened anew
   */
  record Timing(Duration pause, Duration silence) {
    static final Timing DEFAULT = new Timing(Duration.ofMillis(200), Duration.ofSeconds(150));
  }

  ListWatch(
      ApiServer server, ObjectKind<T> kind, ObjectSink<T> sink, WatchHealth health, Timing timing) {
    this.server = server;
    this.kind = kind;
    this.sink = sink;
    this.health = health;
    this.timing = timing;
    thread = Thread.ofPlatform().daemon().name("watch-" + kind.name()).unstarted(this::run);
  }

  void start() {
    health.heard();
    thread.start();
  }

  private void run() {
    Duration pause = timing.pause();
    try {
      while (!closed) {
        try {
          String since = version == null ? list() : version;
          version = since;
          watch(since);
          pause = timing.pause();
        } catch (IOException e) {
          if (!closed) {
            health.failed(ApiServer.describe(e));
          }
          Thread.sleep(pause);
          pause = shorter(pause.multipliedBy(2), LONGEST_PAUSE);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // closed
    }
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  /** Tells the sink all there are, and returns the version from which on changes are unknown. */
  private String list() throws IOException, InterruptedException {
    Map<String, T> all = new HashMap<>();
    Set<String> unreadable = new HashSet<>();
    Page page = new Page("", "");
    do {
      String query = "limit=" + PAGE;
      if (!page.next.isEmpty()) {
        query += "&continue=" + ApiCall.escaped(page.next);
      }
      page = readPage(kind.query(query), all, unreadable);
    } while (!page.next.isEmpty());
    health.listed();
    sink.listed(all, unreadable);
    return page.version;
  }

  /** Where a list stands after a page. */
  private record Page(String version, String next) {}

  private Page readPage(String path, Map<String, T> all, Set<String> unreadable)
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
        parser.skipChildren(); // to the end: what is closed before costs its connection
      }
      if (page.version.isEmpty()) {
        throw new IOException("the answer to " + path + " is no list");
      }
      return page;
    }
  }

  private ApiServer.Stream opened(String path) throws IOException, InterruptedException {
    ApiServer.Stream answer = server.open(path);
    if (answer.code() != ApiAnswer.OK) {
      try (answer) {
        throw new IOException("listing: " + answer.whole().message());
      }
    }
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
        kind.reader().apply(object).ifPresent(read -> all.put(key, read));
      } catch (InputException e) {
        unreadable.add(key);
        health.skip(key, e);
      }
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
  private void watch(String since) throws IOException, InterruptedException {
    String path =
        kind.query(
            "watch=1&allowWatchBookmarks=true&resourceVersion="
                + ApiCall.escaped(since)
                + "&timeoutSeconds="
                + WATCH_FOR.toSeconds());
    ApiServer.Stream answer = server.open(path);
    current = answer;
    health.heard();
    AtomicBoolean silent = new AtomicBoolean();
    Thread guard = Thread.ofVirtual().start(() -> guard(answer, silent));
    try (answer) {
      if (answer.code() != ApiAnswer.OK) {
        String why = answer.whole().message();
        version = answer.code() == ApiAnswer.GONE ? null : since;
        throw new IOException("watching: " + why);
      }
      follow(new Lines(answer.body()));
    } catch (IOException e) {
      if (!silent.get()) {
        throw e;
      }
    } finally {
      guard.interrupt();
    }
  }

  private void follow(Lines lines) throws IOException {
    String line = lines.next();
    while (line != null && !closed) {
      health.heard();
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
      line = lines.next();
    }
  }

  private void afterError(JsonNode status) throws IOException {
    if (status.path("code").asInt() != ApiAnswer.GONE) {
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
      default -> health.skip(type, Json.malformed("came in an event of no known type"));
    }
  }

  private void changed(JsonNode object) {
    @Nullable String key = key(object);
    if (key == null) {
      return;
    }
    try {
      Optional<T> read = kind.reader().apply(object);
      if (read.isPresent()) {
        sink.changed(key, read.get());
      } else {
        sink.removed(key);
      }
    } catch (InputException e) {
      health.skip(key, e);
    }
  }

  /** Ends a watch that has become silent. */
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
      Thread.currentThread().interrupt(); // the watch has ended by itself
    }
  }

  /** Ends it; what is being told just now may still be told. */
  @Override
  public void close() {
    closed = true;
    thread.interrupt();
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
