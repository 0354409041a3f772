package dev.cotenant.llm.serving;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.cotenant.domain.InputException;
import dev.cotenant.llm.serving.ServingRun.Measured;
import dev.cotenant.llm.source.Json;
import dev.cotenant.llm.source.JsonFields;
import dev.cotenant.llm.source.SourceLimits;
import java.io.IOException;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Starts that coefficients are learned from, as JSON; coefficients are learned again when it is
 * read, so that those in force always follow from the starts.
 */
public final class LearnedServingFile {
  private static final int FORMAT = 1;
  private static final double MAX = 1e18;

  private LearnedServingFile() {}

  /** The document. */
  public static String write(LearnedServing learned) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
      json.useDefaultPrettyPrinter();
      json.writeStartObject();
      json.writeNumberField("format", FORMAT);
      json.writeArrayFieldStart("starts");
      for (MeasuredStart start : learned.starts()) {
        write(json, start);
      }
      json.writeEndArray();
      json.writeEndObject();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e); // a writer in memory
    }
    return text + "\n";
  }

  private static void write(JsonGenerator json, MeasuredStart start) throws IOException {
    ServingAmounts amounts = start.amounts();
    json.writeStartObject();
    json.writeStringField("version", start.version().toString());
    json.writeStringField("parallelism", start.parallelism().name());
    json.writeBooleanField("vision", start.vision());
    json.writeNumberField("value_bytes", amounts.valueBytes());
    json.writeNumberField("predicted_weights", amounts.weights());
    json.writeNumberField("kv_per_token", amounts.kvPerToken());
    json.writeNumberField("logits", amounts.logits());
    json.writeNumberField("embedded", amounts.embedded());
    json.writeNumberField("forward", amounts.forward());
    json.writeNumberField("experts", amounts.experts());
    for (int i = 0; i < ServingAmounts.GRAPH_FEATURES; i++) {
      json.writeNumberField("graph_feature_" + i, amounts.graphs()[i]);
    }
    Measured measured = start.measured();
    known(json, "context_bytes", measured.context());
    known(json, "weights_bytes", measured.weights());
    known(json, "activation_bytes", measured.activation());
    known(json, "non_torch_bytes", measured.nonTorch());
    known(json, "cuda_graph_bytes", measured.graphs());
    known(json, "kv_cache_bytes", measured.kvCache());
    known(json, "kv_cache_tokens", measured.kvTokens());
    json.writeEndObject();
  }

  private static void known(JsonGenerator json, String name, double value) throws IOException {
    if (!Double.isNaN(value)) {
      json.writeNumberField(name, value);
    }
  }

  /**
   * Reads a document.
   *
   * @param name of the file, for messages
   * @throws InputException ({@code not-json}, {@code bad-model-config}, {@code bad-constants})
   */
  public static LearnedServing read(byte[] content, String name) {
    JsonFields document = Json.read(content, name, SourceLimits.DEFAULT);
    long format = document.whole("format", 0, Integer.MAX_VALUE).orElse(0L);
    if (format != FORMAT || !(document.values().get("starts") instanceof List<?> listed)) {
      throw bad(name, "it is not a file of 'learn vllm-log', format " + FORMAT);
    }
    if (listed.size() > LearnedServing.MAX_STARTS) {
      throw bad(name, "it holds more than " + LearnedServing.MAX_STARTS + " starts");
    }
    List<MeasuredStart> starts = new ArrayList<>();
    for (Object item : listed) {
      if (!(item instanceof Map<?, ?> fields)) {
        throw bad(name, "a start is not an object");
      }
      @SuppressWarnings("unchecked") // keys of JSON objects are texts
      Map<String, @Nullable Object> typed = (Map<String, @Nullable Object>) fields;
      starts.add(start(new JsonFields(name + ": starts[" + starts.size() + "]", typed)));
    }
    return new LearnedServing(starts);
  }

  private static MeasuredStart start(JsonFields fields) {
    String kind = fields.text("parallelism").orElse("");
    Parallelism parallelism =
        java.util.stream.Stream.of(Parallelism.values())
            .filter(one -> one.name().equals(kind))
            .findFirst()
            .orElseThrow(() -> bad(fields.place(), "its parallelism is unknown"));
    double[] graphs = new double[ServingAmounts.GRAPH_FEATURES];
    for (int i = 0; i < graphs.length; i++) {
      graphs[i] = number(fields, "graph_feature_" + i);
    }
    return new MeasuredStart(
        VllmVersion.of(fields.text("version").orElse("")),
        parallelism,
        fields.truth("vision").orElse(false),
        new ServingAmounts(
            number(fields, "predicted_weights"),
            number(fields, "kv_per_token"),
            number(fields, "logits"),
            (int) fields.whole("value_bytes", 1, 8).orElse(2L).longValue(),
            number(fields, "embedded"),
            number(fields, "forward"),
            number(fields, "experts"),
            graphs),
        new Measured(
            orNaN(fields, "context_bytes"),
            orNaN(fields, "weights_bytes"),
            orNaN(fields, "activation_bytes"),
            orNaN(fields, "non_torch_bytes"),
            orNaN(fields, "cuda_graph_bytes"),
            Double.NaN,
            orNaN(fields, "kv_cache_bytes"),
            orNaN(fields, "kv_cache_tokens")));
  }

  private static double number(JsonFields fields, String name) {
    return fields.number(name, 0, MAX).orElseThrow(() -> bad(fields.place(), "it lacks " + name));
  }

  private static double orNaN(JsonFields fields, String name) {
    return fields.number(name, -MAX, MAX).orElse(Double.NaN);
  }

  private static InputException bad(String place, String problem) {
    return InputException.malformed(
        "bad-constants", place + ": " + problem + "; write it with 'learn vllm-log'.");
  }
}
