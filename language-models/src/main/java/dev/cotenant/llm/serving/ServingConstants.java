package dev.cotenant.llm.serving;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.cotenant.domain.InputException;
import dev.cotenant.llm.source.Json;
import dev.cotenant.llm.source.JsonFields;
import dev.cotenant.llm.source.SourceLimits;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Map;

/**
 * Coefficients that drift between vLLM releases; others keep their shipped values.
 *
 * @param logitBytes bytes beside a logit
 * @param graphBytes constant of the CUDA graphs
 * @param nonTorchBytes memory outside of PyTorch, by parallelism
 * @param contextBytes memory in use before loading, by parallelism
 */
public record ServingConstants(
    double logitBytes,
    double graphBytes,
    Map<Parallelism, Double> nonTorchBytes,
    Map<Parallelism, Double> contextBytes) {
  private static final double MAX = 1e15;

  public ServingConstants {
    nonTorchBytes = Map.copyOf(nonTorchBytes);
    contextBytes = Map.copyOf(contextBytes);
  }

  /** Those of coefficients. */
  public static ServingConstants of(ServingCoefficients coefficients) {
    Map<Parallelism, Double> nonTorch = new EnumMap<>(Parallelism.class);
    Map<Parallelism, Double> context = new EnumMap<>(Parallelism.class);
    for (Parallelism kind : Parallelism.values()) {
      nonTorch.put(kind, coefficients.nonTorch(kind));
      context.put(kind, coefficients.context(kind));
    }
    return new ServingConstants(
        coefficients.logitBytes(), coefficients.graphBytes()[0], nonTorch, context);
  }

  /** The coefficients of a release with these constants. */
  public ServingCoefficients coefficients(VllmVersion version) {
    ServingCoefficients shipped = ServingCoefficients.SHIPPED;
    double[] graphs = shipped.graphBytes().clone();
    graphs[0] = graphBytes;
    return new ServingCoefficients(
        logitBytes,
        shipped.forward(),
        shipped.experts(),
        shipped.visionBytes(),
        nonTorchBytes,
        contextBytes,
        graphs,
        version);
  }

  /** As JSON, in one line. */
  public String write() {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
      json.writeStartObject();
      json.writeNumberField("logit_bytes", logitBytes);
      json.writeNumberField("cuda_graph_constant_bytes", graphBytes);
      write(json, "non_torch_bytes", nonTorchBytes);
      write(json, "context_bytes", contextBytes);
      json.writeEndObject();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e); // a writer in memory
    }
    return text.toString();
  }

  private static void write(JsonGenerator json, String name, Map<Parallelism, Double> bytes)
      throws IOException {
    json.writeObjectFieldStart(name);
    for (Parallelism kind : Parallelism.values()) {
      json.writeNumberField(kind.name(), bytes.getOrDefault(kind, 0.0));
    }
    json.writeEndObject();
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @throws InputException ({@code not-json}, {@code bad-model-config}, {@code bad-constants})
   */
  public static ServingConstants read(String json, String name) {
    JsonFields fields =
        Json.read(json.getBytes(StandardCharsets.UTF_8), name, SourceLimits.DEFAULT);
    return new ServingConstants(
        number(fields, "logit_bytes"),
        number(fields, "cuda_graph_constant_bytes"),
        bytes(fields, "non_torch_bytes"),
        bytes(fields, "context_bytes"));
  }

  private static Map<Parallelism, Double> bytes(JsonFields fields, String name) {
    JsonFields object = fields.object(name).orElseThrow(() -> lacks(fields, name));
    Map<Parallelism, Double> bytes = new EnumMap<>(Parallelism.class);
    for (Parallelism kind : Parallelism.values()) {
      bytes.put(kind, number(object, kind.name()));
    }
    return bytes;
  }

  private static double number(JsonFields fields, String name) {
    return fields.number(name, -MAX, MAX).orElseThrow(() -> lacks(fields, name));
  }

  private static InputException lacks(JsonFields fields, String name) {
    return InputException.malformed("bad-constants", fields.place() + ": it lacks " + name + ".");
  }
}
