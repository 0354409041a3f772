package dev.cotenant.service.rest.prediction;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.text.PlainText;
import dev.cotenant.domain.workload.EngineRun;
import dev.cotenant.domain.workload.Load;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.model.CoverageLevel;
import dev.cotenant.engine.model.Described;
import dev.cotenant.engine.model.LanguageModelRuns;
import dev.cotenant.engine.model.ModelRegistry;
import dev.cotenant.engine.view.MemoryPredictionView;
import dev.cotenant.llm.MemoryPrediction;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.pod.GenerationArguments;
import dev.cotenant.llm.source.ModelDescription;
import dev.cotenant.service.access.Namespaces;
import dev.cotenant.service.rest.EngineArguments;
import dev.cotenant.service.rest.JsonBody;
import dev.cotenant.service.rest.Required;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Predictions of language models, registered or described in the question. */
final class LanguageModelPredictions {
  private static final String VLLM = "vllm";
  private static final int MAX_CONCURRENCY = 1 << 20;
  private static final long MAX_TOKENS = 1 << 24;
  private static final double DEFAULT_LEVEL = 0.9;

  private final Engine engine;
  private final ModelRegistry registry;
  private final LanguageModelRuns runs;

  LanguageModelPredictions(Engine engine, ModelRegistry registry, LanguageModelRuns runs) {
    this.engine = engine;
    this.registry = registry;
    this.runs = runs;
  }

  /**
   * Whether a question is about a language model: it names an engine, describes one, or names a
   * registered one.
   */
  boolean isAbout(JsonNode request) {
    JsonNode model = request.path("model");
    return request.has("engine")
        || request.has("description")
        || (model.isTextual()
            && registry.find(model.textValue()).isEmpty()
            && registry.findLanguageModel(model.textValue()).isPresent());
  }

  /**
   * The prediction.
   *
   * @throws InputException ({@code unknown-model}, {@code unknown-engine}, {@code
   *     bad-engine-argument}, {@code bad-engine-version}, {@code bad-tuning-argument}, {@code
   *     bad-model-config}, {@code bad-model-description}, …) naming what is wrong
   */
  MemoryPredictionView answer(JsonNode json) {
    LanguageModelDocument request = JsonBody.convert(json, LanguageModelDocument.class);
    return answer(request, Required.of(request.device(), "device"));
  }

  /** The same on another device than the question's. */
  MemoryPredictionView answer(JsonNode json, String deviceId) {
    return answer(JsonBody.convert(json, LanguageModelDocument.class), deviceId);
  }

  private MemoryPredictionView answer(LanguageModelDocument request, String deviceId) {
    Device device = engine.devices().require(deviceId);
    double level =
        request.coverage() == null
            ? DEFAULT_LEVEL
            : CoverageLevel.of(request.coverage(), "coverage").fraction();
    String name = request.model() == null ? "description" : PlainText.of(request.model());
    return predicted(name, request, device, level);
  }

  private MemoryPredictionView predicted(
      String name, LanguageModelDocument request, Device device, double level) {
    String namespace = request.namespace() == null ? "" : Namespaces.require(request.namespace());
    LanguageModel model = model(request);
    EngineRun run = run(namespace, request);
    Long seen = request.gpuMemoryBytes();
    LanguageModelRuns.ServingRequest serving =
        new LanguageModelRuns.ServingRequest(
            level,
            concurrency(request.concurrency()),
            seen == null ? null : (double) between(seen, "gpu_memory_bytes", 1L << 44),
            runs.learned(namespace),
            rate(request.requestRate()));
    MemoryPrediction memory = LanguageModelRuns.predict(model, run, device, serving);
    return MemoryPredictionView.of(
        name, memory, LanguageModelRuns.speed(model, run, device, serving, memory), Map.of());
  }

  /** Its arguments, with the tokens of a request. */
  private static EngineRun run(String namespace, LanguageModelDocument request) {
    EngineRun read =
        EngineArguments.run(
            namespace,
            Objects.requireNonNullElse(request.engine(), VLLM),
            request.engineVersion(),
            request.arguments());
    Map<String, String> settings = new HashMap<>(read.settings());
    settings.put(GenerationArguments.PROMPT, tokens(request.promptTokens(), "prompt_tokens"));
    settings.put(
        GenerationArguments.GENERATED, tokens(request.generatedTokens(), "generated_tokens"));
    return read.with(settings);
  }

  private static @Nullable Double rate(@Nullable Double stated) {
    return stated == null ? null : new Load.RequestRate(stated).perSecond();
  }

  private LanguageModel model(LanguageModelDocument request) {
    JsonNode described = request.description();
    if (described != null && !described.isNull()) {
      if (request.model() != null) {
        throw InputException.invalidArgument(
            "two-models", "State either model or description, not both.");
      }
      return ModelDescription.read(
              described.toString().getBytes(StandardCharsets.UTF_8), "description")
          .model();
    }
    String reference = Required.of(request.model(), "model");
    return switch (runs.describe("", reference)) {
      case Described.Known(LanguageModel model) -> model;
      case Described.BeingRead _ ->
          throw InputException.notFound(
              "unknown-model",
              "The description of '"
                  + PlainText.of(reference)
                  + "' is being read: repeat the request.");
      case Described.Missing(String why) ->
          throw InputException.notFound(
              "unknown-model",
              "No language model is known as '"
                  + PlainText.of(reference)
                  + "' ("
                  + PlainText.of(why)
                  + "): GET /v1/models lists models, PUT /v1/models/{name} registers one.");
    };
  }

  private static int concurrency(@Nullable Integer stated) {
    return stated == null ? 1 : (int) between(stated, "concurrency", MAX_CONCURRENCY);
  }

  private static String tokens(@Nullable Long stated, String field) {
    return String.valueOf(
        stated == null ? GenerationArguments.USUAL_TOKENS : between(stated, field, MAX_TOKENS));
  }

  private static long between(long value, String field, long most) {
    if (value < 1 || value > most) {
      throw InputException.invalidArgument(
          "number-out-of-range", field + " must be from 1 to " + most + ", is " + value + ".");
    }
    return value;
  }
}
