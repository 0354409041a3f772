package dev.cotenant.admission.state;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * JSON texts that fit one document together. Each part takes what the parts before it left; its
 * last entries are left out where that is too little.
 */
final class BoundedParts {
  /** Names of parts, brackets and line ends. */
  private static final int OVERHEAD = 1_000;

  private final Map<String, String> texts = new HashMap<>();
  private final List<String> cut = new ArrayList<>();
  private int left = LeaderStateStore.MAX_BYTES - OVERHEAD;

  void array(String name, Iterable<? extends JsonNode> entries) {
    array(name, entries, left);
  }

  /** An array of at most so many bytes. */
  void array(String name, Iterable<? extends JsonNode> entries, int most) {
    List<String> all = new ArrayList<>();
    entries.forEach(entry -> all.add(entry.toString()));
    texts.put(name, "[" + fitting(name, all, most) + "]");
  }

  void object(String name, Map<String, JsonNode> members) {
    List<String> all = new ArrayList<>();
    members.forEach((key, value) -> all.add(TextNode.valueOf(key) + ":" + value));
    texts.put(name, "{" + fitting(name, all, left) + "}");
  }

  private String fitting(String name, List<String> entries, int most) {
    int bound = Math.min(most, left);
    int used = 0;
    int count = 0;
    while (count < entries.size()) {
      int bytes = entries.get(count).getBytes(StandardCharsets.UTF_8).length + 1;
      if (used + bytes > bound) {
        cut.add(name);
        break;
      }
      used += bytes;
      count++;
    }
    left -= used;
    return String.join(",", entries.subList(0, count));
  }

  /** The parts by name. */
  Map<String, String> texts() {
    return Map.copyOf(texts);
  }

  /** Names of parts without all of their entries. */
  List<String> cut() {
    return List.copyOf(cut);
  }
}
