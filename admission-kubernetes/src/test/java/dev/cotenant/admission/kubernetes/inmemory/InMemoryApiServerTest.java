package dev.cotenant.admission.kubernetes.inmemory;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class InMemoryApiServerTest {
  private static final int LISTS = 3_000;
  private static final int NAMES = 12;

  private final ObjectStore store = new ObjectStore();
  private final InMemoryApiServer api = new InMemoryApiServer(store);

  /** A list in pages of three, while others write. */
  private record Seen(long version, Set<String> names) {}

  private void write() {
    Random random = new Random(1);
    while (!Thread.currentThread().isInterrupted()) {
      String name = "pod-" + random.nextInt(NAMES);
      ObjectNode pod = JsonNodeFactory.instance.objectNode();
      pod.putObject("metadata").put("name", name);
      if (store.create("pods", "team-a", pod).code() != 201) {
        store.delete("pods", "team-a", name, pod);
      }
    }
  }

  private Seen list() throws Exception {
    Set<String> names = new TreeSet<>();
    Map<String, String> query = new HashMap<>(Map.of("limit", "3"));
    while (true) {
      JsonNode page =
          api.answer(
                  new InMemoryApiServer.Request("GET", "/api/v1/namespaces/team-a/pods", query, ""))
              .body();
      page.path("items").forEach(pod -> names.add(name(pod)));
      String next = page.at("/metadata/continue").asText("");
      if (next.isEmpty()) {
        return new Seen(page.at("/metadata/resourceVersion").asLong(), names);
      }
      query.put("continue", next);
    }
  }

  private static String name(JsonNode pod) {
    return pod.at("/metadata/name").asText();
  }

  @Test
  void aListAndAWatchFromItsVersionMissNothing() throws Exception {
    Thread writer = Thread.ofPlatform().start(this::write);
    try {
      for (int i = 0; i < LISTS; i++) {
        Seen seen = list();
        ObjectStore.Listing now = store.listing("pods", "team-a");
        Set<String> names = new TreeSet<>(seen.names());
        for (ObjectStore.Change change : store.changesAfter(seen.version(), "pods")) {
          if (change.version() <= now.version()) {
            apply(change, names);
          }
        }
        assertThat(names)
            .containsExactlyInAnyOrderElementsOf(
                now.objects().stream().map(InMemoryApiServerTest::name).toList());
      }
    } finally {
      writer.interrupt();
      writer.join();
    }
  }

  private static void apply(ObjectStore.Change change, Set<String> names) {
    if (change.type().equals("DELETED")) {
      names.remove(name(change.object()));
    } else {
      names.add(name(change.object()));
    }
  }
}
