package dev.cotenant.admission.fill;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.GpuDialect;
import dev.cotenant.admission.pod.KubernetesQuantity;
import dev.cotenant.domain.quantity.MemorySize;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The record of filling in the annotation {@code cotenant.dev/filled}, sufficient to undo it. A
 * filled pod is refilled from its original, so that filling is idempotent at any position among
 * other webhooks.
 *
 * @param dialect of the request
 * @param container that requests the GPU
 * @param wrote values by name
 * @param was values that were replaced or removed, by name
 * @param argument that was added to the container's arguments; null without one
 * @param memory on each GPU; null where compute alone was filled in
 * @param why for people
 * @param ofTemplate whether the record was written into the pod's template
 */
public record FillRecord(
    GpuDialect dialect,
    String container,
    Map<String, String> wrote,
    Map<String, String> was,
    @Nullable String argument,
    @Nullable MemorySize memory,
    String why,
    boolean ofTemplate) {
  /** Longer annotations are not ours. */
  private static final int MAX_CHARACTERS = 4_000;

  private static final long MAX_BYTES = 1L << 44;
  private static final ObjectMapper JSON = new ObjectMapper();

  public FillRecord {
    wrote = Collections.unmodifiableMap(new TreeMap<>(wrote));
    was = Collections.unmodifiableMap(new TreeMap<>(was));
  }

  /** Reads the record from a pod's annotation; empty if absent or invalid. */
  public static Optional<FillRecord> of(JsonNode pod) {
    String text =
        pod.path("metadata").path("annotations").path(CotenantAnnotations.FILLED).asText("");
    if (text.isEmpty() || text.length() > MAX_CHARACTERS) {
      return Optional.empty();
    }
    try {
      return read(JSON.readTree(text));
    } catch (JsonProcessingException _) {
      return Optional.empty(); // forged: taken out, and the pod counts as it is
    }
  }

  private static Optional<FillRecord> read(JsonNode json) {
    GpuDialect dialect = dialect(json.path("dialect").asText("")).orElse(null);
    MemorySize memory = memory(json.path("bytes").asText("")).orElse(null);
    Map<String, String> wrote = texts(json.path("wrote"));
    Map<String, String> was = texts(json.path("was"));
    if (dialect == null
        || wrote.isEmpty()
        || writesMemory(dialect, wrote) == (memory == null)
        || !Fill.names(dialect).containsAll(wrote.keySet())
        || !Fill.names(dialect).containsAll(was.keySet())) {
      return Optional.empty();
    }
    JsonNode argument = json.path("argument");
    return Optional.of(
        new FillRecord(
            dialect,
            json.path("container").asText(""),
            wrote,
            was,
            argument.isTextual() ? argument.textValue() : null,
            memory,
            json.path("why").asText(""),
            json.path("template").asBoolean(false)));
  }

  private static boolean writesMemory(GpuDialect dialect, Map<String, String> wrote) {
    return dialect.memoryField().filter(field -> wrote.containsKey(field.name())).isPresent();
  }

  private static Optional<MemorySize> memory(String bytes) {
    return KubernetesQuantity.parse(bytes)
        .filter(quantity -> quantity.isWhole() && quantity.isBetween(1, MAX_BYTES))
        .map(quantity -> MemorySize.ofBytes(quantity.value().longValueExact()));
  }

  /** A dialect that states memory; empty for any other word. */
  public static Optional<GpuDialect> dialect(String word) {
    for (GpuDialect dialect : GpuDialect.values()) {
      if (dialect.word().equals(word.toLowerCase(Locale.ROOT))) {
        return dialect.memoryField().isPresent() ? Optional.of(dialect) : Optional.empty();
      }
    }
    return Optional.empty();
  }

  /** The words of these dialects, separated by commas. */
  public static String dialects() {
    return Stream.of(GpuDialect.values())
        .filter(dialect -> dialect.memoryField().isPresent())
        .map(GpuDialect::word)
        .collect(Collectors.joining(", "));
  }

  private static Map<String, String> texts(JsonNode object) {
    Map<String, String> texts = new TreeMap<>();
    object.properties().forEach(entry -> texts.put(entry.getKey(), entry.getValue().asText("")));
    return texts;
  }

  /** The value of the annotation. */
  public String text() {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(text)) {
      json.writeStartObject();
      json.writeStringField("dialect", dialect.word());
      json.writeStringField("container", container);
      writeTexts(json, "wrote", wrote);
      if (!was.isEmpty()) {
        writeTexts(json, "was", was);
      }
      if (argument != null) {
        json.writeStringField("argument", argument);
      }
      if (memory != null) {
        json.writeNumberField("bytes", memory.bytes());
      }
      if (ofTemplate) {
        json.writeBooleanField("template", true);
      }
      json.writeStringField("why", why);
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException("writing to a string cannot fail", e);
    }
    return text.toString();
  }

  private static void writeTexts(JsonGenerator json, String name, Map<String, String> texts)
      throws IOException {
    json.writeObjectFieldStart(name);
    for (Map.Entry<String, String> one : texts.entrySet()) {
      json.writeStringField(one.getKey(), one.getValue());
    }
    json.writeEndObject();
  }

  /**
   * The pod without its filled values; a copy if anything is removed. Where others changed a value
   * since, it is theirs: all of them stay, and only the annotation is taken out.
   */
  public static JsonNode original(JsonNode pod) {
    if (!pod.path("metadata").path("annotations").has(CotenantAnnotations.FILLED)) {
      return pod;
    }
    ObjectNode copy = pod.deepCopy();
    of(copy).ifPresent(filled -> filled.takeOut(copy));
    ContainerRequest.unannotate(copy, CotenantAnnotations.FILLED);
    return copy;
  }

  private void takeOut(ObjectNode pod) {
    ContainerRequest request = ContainerRequest.of(pod, container);
    if (request == null || !isIn(pod)) {
      return;
    }
    wrote.keySet().forEach(name -> request.remove(dialect, name));
    was.forEach((name, value) -> request.put(dialect, name, value));
    if (argument != null) {
      request.unargue(argument);
      ContainerRequest.unannotate(pod, CotenantAnnotations.ENGINE_BUDGET);
    }
  }

  /** Whether a pod has all values of the record. */
  public boolean isIn(JsonNode pod) {
    ContainerRequest request = ContainerRequest.of(pod, container);
    return request != null && wrote.entrySet().stream().allMatch(one -> isThere(request, one));
  }

  /** The record as written into a pod template. */
  public FillRecord inTemplate() {
    return new FillRecord(dialect, container, wrote, was, argument, memory, why, true);
  }

  private boolean isThere(ContainerRequest request, Map.Entry<String, String> one) {
    String value = request.value(dialect, one.getKey());
    if (value == null || value.equals(one.getValue())) {
      return value != null;
    }
    Optional<KubernetesQuantity> written = KubernetesQuantity.parse(one.getValue());
    return written.isPresent() && written.equals(KubernetesQuantity.parse(value));
  }
}
