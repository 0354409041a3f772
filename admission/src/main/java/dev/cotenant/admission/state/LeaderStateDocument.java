package dev.cotenant.admission.state;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.cotenant.admission.guard.GuardNotes;
import dev.cotenant.admission.guard.Incident;
import dev.cotenant.admission.pod.SettingsCodec;
import dev.cotenant.admission.state.LeaderState.MemoryShortage;
import dev.cotenant.admission.state.LeaderState.QueuePosition;
import dev.cotenant.admission.state.LeaderState.Resubmissions;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.workload.EngineRun;
import dev.cotenant.domain.workload.Workload;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Persists leader state in one document. Unreadable parts are logged and skipped; the next write
 * replaces them.
 */
public final class LeaderStateDocument {
  private static final String QUEUE = "queue";
  private static final String SHORTAGES = "shortages";
  private static final String RESUBMITTED = "resubmitted";
  private static final String NOTICED = "noticed";
  private static final String GUARD_INCIDENTS = "guard-incidents";
  private static final String GUARD_PAIRS = "guard-pairs";
  private static final String GUARD_EVICTIONS = "guard-evictions";
  private static final String GRANTS = "grants";

  /** Limit over all shortages, whose texts come from pods; the oldest beyond it are dropped. */
  private static final int MAX_SHORTAGE_BYTES = 200_000;

  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final LeaderStateStore store;
  private final Consumer<String> warnings;

  /** Truncated parts of the last write. */
  private List<String> lastCut = List.of();

  /**
   * @param store the document
   * @param warnings one line each
   */
  public LeaderStateDocument(LeaderStateStore store, Consumer<String> warnings) {
    this.store = store;
    this.warnings = warnings;
  }

  /**
   * Claims the state of the last leader for a term.
   *
   * @throws NotClaimedException when that fails
   */
  public LeaderState claim(long term) {
    Map<String, String> entries = store.claim(term);
    Map<String, QueuePosition> queue = new HashMap<>();
    each(entries, QUEUE, (uid, json) -> queue.put(uid, position(json)));
    List<MemoryShortage> shortages = new ArrayList<>();
    each(entries, SHORTAGES, (_, json) -> shortages.add(shortage(json)));
    Map<String, Resubmissions> resubmitted = new HashMap<>();
    each(entries, RESUBMITTED, (owner, json) -> resubmitted.put(owner, resubmitted(json)));
    Set<String> noticed = new HashSet<>();
    each(entries, NOTICED, (_, json) -> noticed.add(json.asText()));
    Map<String, String> grants = new HashMap<>();
    each(entries, GRANTS, (uid, json) -> grants.put(uid, json.asText()));
    return new LeaderState(queue, shortages, resubmitted, noticed, guard(entries), grants);
  }

  private GuardNotes guard(Map<String, String> entries) {
    List<Incident> incidents = new ArrayList<>();
    each(entries, GUARD_INCIDENTS, (_, json) -> incidents.add(GuardCodec.incident(json)));
    List<GuardNotes.Pair> pairs = new ArrayList<>();
    each(entries, GUARD_PAIRS, (_, json) -> pairs.add(GuardCodec.pair(json)));
    List<GuardNotes.Eviction> evictions = new ArrayList<>();
    each(entries, GUARD_EVICTIONS, (_, json) -> evictions.add(GuardCodec.eviction(json)));
    return new GuardNotes(incidents, pairs, evictions);
  }

  /** Passes every member of an object, or element of an array, to {@code take}. */
  private void each(Map<String, String> entries, String name, BiConsumer<String, JsonNode> take) {
    JsonNode all = parsed(name, entries.getOrDefault(name, "{}"));
    if (all.isArray()) {
      all.forEach(json -> read(name, () -> take.accept("", json)));
    } else {
      all.properties().forEach(e -> read(name, () -> take.accept(e.getKey(), e.getValue())));
    }
  }

  private void read(String name, Runnable take) {
    try {
      take.run();
    } catch (IllegalArgumentException | DateTimeException | InputException e) {
      warnings.accept("Skipped in the leader state, in '" + name + "': " + e.getMessage());
    }
  }

  private JsonNode parsed(String name, String text) {
    try {
      return MAPPER.readTree(text);
    } catch (JsonProcessingException e) {
      warnings.accept("Skipped in the leader state: '" + name + "' is not valid JSON");
      return MAPPER.createObjectNode();
    }
  }

  private static QueuePosition position(JsonNode json) {
    @Nullable Instant since =
        json.has("waiting_since") ? Instant.parse(json.path("waiting_since").asText()) : null;
    return new QueuePosition(Math.max(0, json.path("skips").asInt()), since);
  }

  private static MemoryShortage shortage(JsonNode json) {
    return new MemoryShortage(
        json.path("namespace").asText(),
        new Workload(
            json.path("model").asText(),
            json.path("batch_size").asInt(),
            SettingsCodec.read(json),
            EngineRunCodec.read(json.path("run"))),
        new DeviceId(json.path("device").asText()),
        MemorySize.ofBytes(json.path("at_least_bytes").asLong()),
        json.path("times").asInt(1),
        Instant.parse(json.path("last_at").asText()));
  }

  private static Resubmissions resubmitted(JsonNode json) {
    return new Resubmissions(
        json.path("times").asInt(), Instant.parse(json.path("last_at").asText()));
  }

  /** Replaces the state, as far as one document holds it; blocks. */
  public LeaderStateStore.Result write(long term, LeaderState state) {
    BoundedParts parts = new BoundedParts();
    parts.object(GRANTS, grants(state));
    parts.array(GUARD_INCIDENTS, GuardCodec.incidents(state.guard()));
    parts.array(GUARD_EVICTIONS, GuardCodec.evictions(state.guard()));
    parts.array(NOTICED, state.noticed().stream().sorted().map(TextNode::valueOf).toList());
    parts.object(RESUBMITTED, resubmitted(state));
    parts.array(GUARD_PAIRS, GuardCodec.pairs(state.guard()));
    parts.array(SHORTAGES, shortages(state), MAX_SHORTAGE_BYTES);
    parts.object(QUEUE, queue(state));
    if (!parts.cut().equals(lastCut)) {
      lastCut = parts.cut();
      if (!lastCut.isEmpty()) {
        warnings.accept("The leader state is full, not all is written of: " + lastCut);
      }
    }
    return store.putAll(term, parts.texts());
  }

  private static Map<String, JsonNode> grants(LeaderState state) {
    Map<String, JsonNode> all = new TreeMap<>();
    state.grants().forEach((uid, digest) -> all.put(uid, TextNode.valueOf(digest)));
    return all;
  }

  /** Those with most skips first. */
  private static Map<String, JsonNode> queue(LeaderState state) {
    Map<String, JsonNode> all = new LinkedHashMap<>();
    new TreeMap<>(state.queue())
        .entrySet().stream()
            .sorted(Comparator.comparingInt(entry -> -entry.getValue().skips()))
            .forEach(queued -> {
              QueuePosition position = queued.getValue();
              ObjectNode json = MAPPER.createObjectNode().put("skips", position.skips());
              if (position.waitingSince() != null) {
                json.put("waiting_since", position.waitingSince().toString());
              }
              all.put(queued.getKey(), json);
            });
    return all;
  }

  /** The latest first. */
  private static List<JsonNode> shortages(LeaderState state) {
    List<JsonNode> all = new ArrayList<>();
    for (MemoryShortage shortage : state.shortages()) {
      ObjectNode json = MAPPER.createObjectNode();
      write(json, shortage);
      all.add(json);
    }
    return all;
  }

  /** The latest first. */
  private static Map<String, JsonNode> resubmitted(LeaderState state) {
    Map<String, JsonNode> all = new LinkedHashMap<>();
    new TreeMap<>(state.resubmitted())
        .entrySet().stream()
            .sorted(
                Map.Entry.comparingByValue(Comparator.comparing(Resubmissions::lastAt).reversed()))
            .forEach(owner ->
                all.put(
                    owner.getKey(),
                    MAPPER
                        .createObjectNode()
                        .put("times", owner.getValue().times())
                        .put("last_at", owner.getValue().lastAt().toString())));
    return all;
  }

  private static void write(ObjectNode json, MemoryShortage shortage) {
    Workload workload = shortage.workload();
    json.put("namespace", shortage.namespace())
        .put("model", workload.model())
        .put("batch_size", workload.batchSize())
        .put("device", shortage.device().value())
        .put("at_least_bytes", shortage.atLeast().bytes())
        .put("times", shortage.times())
        .put("last_at", shortage.lastAt().toString());
    SettingsCodec.write(json, workload.settings());
    EngineRun run = workload.engine();
    if (run != null) {
      EngineRunCodec.write(json.putObject("run"), run);
    }
  }

  public void close() {
    store.close();
  }
}
