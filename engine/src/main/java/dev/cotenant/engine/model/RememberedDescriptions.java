package dev.cotenant.engine.model;

import dev.cotenant.llm.model.LanguageModel;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Descriptions and failures within bounds; what was used longest ago goes. Not thread safe. */
final class RememberedDescriptions {
  /** What a description takes beside its texts: a few records and boxed numbers. */
  private static final int DESCRIPTION_BYTES = 2_048;

  private final FolderDescriptions.Bounds bounds;

  /** By the time of their last use. */
  private final Map<Key, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);

  private final Map<String, Integer> byNamespace = new HashMap<>();
  private long bytes;

  /** On whose account, and which model. */
  record Key(String namespace, String reference) {}

  /**
   * What is known.
   *
   * @param readAt when it was found
   * @param askAgain when it is read again, where it is asked for
   */
  record Entry(Described described, Instant readAt, Instant askAgain) {}

  RememberedDescriptions(FolderDescriptions.Bounds bounds) {
    this.bounds = bounds;
  }

  int size() {
    return entries.size();
  }

  /** Estimated. */
  long bytes() {
    return bytes;
  }

  @Nullable Entry get(Key key) {
    return entries.get(key);
  }

  void put(Key key, Entry entry) {
    remove(key);
    entries.put(key, entry);
    bytes += size(key, entry.described());
    byNamespace.merge(key.namespace(), 1, Integer::sum);
    while (byNamespace.getOrDefault(key.namespace(), 0) > bounds.ofNamespace()) {
      remove(eldest(key.namespace()));
    }
    while (entries.size() > bounds.entries() || (bytes > bounds.bytes() && entries.size() > 1)) {
      remove(entries.keySet().iterator().next());
    }
  }

  private Key eldest(String namespace) {
    return entries.keySet().stream()
        .filter(key -> key.namespace().equals(namespace))
        .findFirst()
        .orElseThrow();
  }

  @Nullable Entry remove(Key key) {
    Entry removed = entries.remove(key);
    if (removed != null) {
      bytes -= size(key, removed.described());
      byNamespace.computeIfPresent(key.namespace(), (_, count) -> count > 1 ? count - 1 : null);
    }
    return removed;
  }

  private static long size(Key key, Described described) {
    long texts = (long) key.namespace().length() + key.reference().length();
    if (described instanceof Described.Missing(String why)) {
      texts += why.length();
    }
    if (described instanceof Described.Known(LanguageModel model)) {
      texts += model.name().length() + model.type().length();
      for (String warning : model.warnings()) {
        texts += warning.length();
      }
      LanguageModel.Adapter adapter = model.adapter();
      if (adapter != null) {
        for (String target : adapter.targets()) {
          texts += target.length();
        }
      }
    }
    return DESCRIPTION_BYTES + 2 * texts;
  }
}
