package dev.cotenant.llm;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.text.PlainText;
import dev.cotenant.llm.MemoryPrediction.Bounded;
import dev.cotenant.llm.MemoryPrediction.Part;
import dev.cotenant.llm.MemoryPrediction.Serving;
import dev.cotenant.llm.fit.FamilyBound;
import dev.cotenant.llm.inference.GenerationBounds;
import dev.cotenant.llm.inference.GenerationFormula;
import dev.cotenant.llm.inference.GenerationSettings;
import dev.cotenant.llm.memory.Modules;
import dev.cotenant.llm.memory.ProcessContext;
import dev.cotenant.llm.memory.Weights;
import dev.cotenant.llm.model.Attention;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.serving.LearntServing;
import dev.cotenant.llm.serving.ReleaseCoefficients;
import dev.cotenant.llm.serving.ServingBounds;
import dev.cotenant.llm.serving.ServingCard;
import dev.cotenant.llm.serving.ServingCoefficients;
import dev.cotenant.llm.serving.ServingParts;
import dev.cotenant.llm.serving.VllmSettings;
import dev.cotenant.llm.tuning.TuningBounds;
import dev.cotenant.llm.tuning.TuningFormula;
import dev.cotenant.llm.tuning.TuningSettings;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Predicts with the coefficients in force; bounds are twice as wide outside of what was measured,
 * and rest on the larger of the shipped and the learnt constants.
 *
 * @param level share of families in which bounds are to hold, such as 0.9
 * @param learnt coefficients of releases from an installation's own logs
 */
public record MemoryPredictor(double level, ReleaseCoefficients learnt) {
  private static final double OUTSIDE = 2;

  /** With the shipped coefficients alone. */
  public MemoryPredictor(double level) {
    this(level, LearntServing.NONE);
  }

  /**
   * A vLLM server on its first GPU.
   *
   * @param concurrency sequences of the longest length that it is to hold at once, at least 1
   * @throws InputException ({@code bad-engine-argument}) where vLLM would refuse to start
   */
  public MemoryPrediction serving(
      LanguageModel model, VllmSettings settings, ServingCard card, int concurrency) {
    return serving(model, settings, card, concurrency, Unread.NONE);
  }

  /**
   * A vLLM server on its first GPU of which something is not known: bounds are twice as wide, and
   * that of the process is the GPU's memory where any argument may be unread, the utilization
   * included.
   *
   * @throws InputException ({@code bad-engine-argument}) where vLLM would refuse to start
   */
  public MemoryPrediction serving(
      LanguageModel model,
      VllmSettings settings,
      ServingCard card,
      int concurrency,
      Unread unread) {
    requirePossible(model, settings);
    List<String> warnings = warnings(model);
    ServingCoefficients inForce = learnt.coefficients(settings.version());
    ServingParts parts = ServingParts.of(inForce, model, settings, card);
    ServingParts most = // what is learnt lowers no bound: neighbours rest on it
        ServingParts.of(
            inForce.orMore(LearntServing.NONE.coefficients(settings.version())),
            model,
            settings,
            card);
    if (learnt.isPromoted(settings.version())) {
      warnings.add(
          "coefficients of vLLM " + settings.version() + " are learnt from measured starts");
    }
    boolean measured = isMeasured(model, settings, card, warnings) && unread.isNone();
    double factor = measured ? 1 : OUTSIDE;
    boolean pinned = settings.kvCacheBytes() != null;
    ServingBounds bounds = ServingBounds.SHIPPED;
    FamilyBound peakBound = pinned ? bounds.overhead() : bounds.outside();
    long tokens = parts.tokens(parts.kvCache());
    double pool = parts.kvPerSequence() * concurrency;
    double sequences = tokens * parts.kvPerToken() / parts.kvPerSequence();
    Serving serving =
        new Serving(
            tokens,
            sequences,
            sequences >= 1,
            bounded(
                parts.withoutKv() + pool,
                most.withoutKv() + pool,
                bounds.overhead(),
                factor,
                measured),
            (long) Math.ceil(pool));
    if (!serving.starts()) {
      warnings.add(
          "its KV cache holds "
              + tokens
              + " tokens, too few for one sequence of "
              + settings.length(model)
              + ": vLLM would not start");
    }
    if (pinned && settings.utilization() != null) {
      warnings.add("--kv-cache-memory-bytes is set: --gpu-memory-utilization has no effect");
    }
    double newer = unread.version() ? settings.newerShare() * card.totalBytes() : 0;
    double least = unread.arguments().isEmpty() ? 0 : card.totalBytes();
    return new MemoryPrediction(
            model.name(),
            "vllm",
            settings.version().toString(),
            card.name(),
            bounded(parts.process(), most.process() + newer, peakBound, factor, measured)
                .atLeast((long) least),
            parts(parts, tokens, settings),
            serving,
            warnings)
        .within(card.totalBytes())
        .withWarnings(unread.arguments())
        .withWarnings(unread.uncounted());
  }

  private static Map<String, Part> parts(ServingParts parts, long tokens, VllmSettings settings) {
    Map<String, Part> named = new LinkedHashMap<>();
    named.put("weights_bytes", part(parts.weights(), "arithmetic on the model's files"));
    named.put(
        "kv_cache_bytes",
        part(
            parts.kvCache(),
            settings.kvCacheBytes() != null
                ? "--kv-cache-memory-bytes"
                : "utilization of the card less weights, activations and non-torch memory"));
    named.put("kv_cache_tokens", new Part(tokens, "pool / bytes of a token"));
    named.put(
        "activation_bytes", part(parts.activation(), "sampler or widest layer, measured starts"));
    named.put("non_torch_bytes", part(parts.nonTorch(), "measured starts, by parallelism"));
    named.put("cuda_graph_bytes", part(parts.graphs(), "layers, measured starts"));
    named.put("context_bytes", part(parts.context(), "measured starts, by parallelism"));
    return named;
  }

  /** Fine-tuning on one of its GPUs. */
  public MemoryPrediction tuning(LanguageModel model, TuningSettings settings, String device) {
    return tuning(model, settings, device, List.of());
  }

  /**
   * Fine-tuning on one of its GPUs.
   *
   * @param assumed one line for each setting that nothing states; with any, the bound has no
   *     coverage
   */
  public MemoryPrediction tuning(
      LanguageModel model, TuningSettings settings, String device, List<String> assumed) {
    TuningFormula.Parts parts = TuningFormula.SHIPPED.predict(model, settings);
    double context = settings.stack().contextBytes();
    List<String> warnings = warnings(model);
    boolean known = warnings.isEmpty() && assumed.isEmpty();
    warnings.addAll(assumed);
    List<String> outside = settings.stack().unmeasured(model, settings);
    List<String> modules = Modules.unknown(model, settings.targets());
    if (settings.trainable() == null && !modules.isEmpty()) {
      known = false;
      warnings.add(
          "modules "
              + PlainText.of(String.join(", ", modules))
              + " are none that are known: their adapters are not counted");
    }
    Map<String, Part> named = new LinkedHashMap<>();
    named.put("weights_bytes", part(parts.weights(), "arithmetic on the model's files"));
    named.put(
        "state_bytes", part(parts.states(), "trained values, gradients, the optimizer's moments"));
    named.put("activation_bytes", part(parts.activations(), "tokens, layers, vocabulary"));
    named.put("context_bytes", part(context, "typical process; 0 where activations hold it"));
    return relative(
        new Subject(model, "fine-tuning", settings.stack().name().toLowerCase(Locale.ROOT), device),
        parts.peak() + context,
        TuningBounds.SHIPPED.of(settings.stack()),
        isMeasured(outside, warnings) && known,
        named,
        warnings);
  }

  /** Generation with plain transformers, summed over its GPUs. */
  public MemoryPrediction generation(
      LanguageModel model, GenerationSettings settings, String device) {
    GenerationFormula.Parts parts = GenerationFormula.SHIPPED.predict(model, false, settings);
    double context = ProcessContext.BYTES * settings.gpus();
    List<String> warnings = warnings(model);
    boolean known = warnings.isEmpty();
    Map<String, Part> named = new LinkedHashMap<>();
    named.put("weights_bytes", part(parts.weights(), "arithmetic on the model's files"));
    named.put("kv_cache_bytes", part(parts.kvCache(), "tokens of prompt and answer"));
    named.put("activation_bytes", part(parts.transients(), "the prompt's largest transient"));
    named.put("context_bytes", part(context, "typical process on each GPU"));
    return relative(
        new Subject(
            model, "transformers", settings.release().name().toLowerCase(Locale.ROOT), device),
        parts.peak() + context,
        GenerationBounds.SHIPPED.of(model, settings),
        isMeasured(GenerationBounds.unmeasured(model, settings), warnings) && known,
        named,
        warnings);
  }

  /** Nothing lies outside of what was measured; else a warning says what does. */
  private static boolean isMeasured(List<String> outside, List<String> warnings) {
    if (!outside.isEmpty()) {
      warnings.add("not measured: " + String.join(", ", outside) + "; the bound is twice as wide");
    }
    return outside.isEmpty();
  }

  private record Subject(LanguageModel model, String engine, String version, String device) {}

  private MemoryPrediction relative(
      Subject of,
      double peak,
      FamilyBound bound,
      boolean measured,
      Map<String, Part> parts,
      List<String> warnings) {
    double extra = Math.max(0, bound.at(level)) * (measured ? 1 : OUTSIDE) * peak;
    return new MemoryPrediction(
        of.model().name(),
        of.engine(),
        of.version(),
        of.device(),
        new Bounded((long) peak, (long) Math.ceil(peak + extra), measured ? coverage(bound) : null),
        parts,
        null,
        warnings);
  }

  private Bounded bounded(
      double mean, double most, FamilyBound bound, double factor, boolean measured) {
    double upper = most + Math.max(0, bound.at(level)) * factor;
    return new Bounded((long) mean, (long) Math.ceil(upper), measured ? coverage(bound) : null);
  }

  /** What so few families support, to a thousandth. */
  private double coverage(FamilyBound bound) {
    return Math.floor(Math.min(level, bound.most()) * 1000) / 1000;
  }

  private static Part part(double bytes, String basis) {
    return new Part((long) bytes, basis);
  }

  private static List<String> warnings(LanguageModel model) {
    List<String> warnings = new ArrayList<>(model.warnings());
    new Weights(model).contradiction().ifPresent(warnings::add);
    if (model.quantization().isNone()
        && model.stored() == null
        && model
            .name()
            .toLowerCase(Locale.ROOT)
            .matches(".*(awq|gptq|fp8|int4|int8|w4a16|w8a8|bnb).*")) {
      warnings.add("its name suggests a quantization that its files do not state: taken as none");
    }
    return warnings;
  }

  private static boolean isMeasured(
      LanguageModel model, VllmSettings settings, ServingCard card, List<String> warnings) {
    boolean known = warnings(model).isEmpty();
    List<String> outside = new ArrayList<>();
    if (!settings.version().isMeasured()) {
      outside.add("vLLM " + settings.version());
    }
    if (!card.isMeasured()) {
      outside.add(card.name());
    }
    if (settings.pipeline() > 2) {
      outside.add(settings.pipeline() + " stages of a pipeline");
    }
    if (settings.tensor() > 4) {
      outside.add(settings.tensor() + " GPUs that divide matrices");
    }
    if (model.quantization().coversAll()) {
      outside.add("GGUF weights");
    }
    if (!outside.isEmpty()) {
      outside.add("(measured: vLLM 0.17 to 0.19, h100-80gb)");
    }
    return isMeasured(outside, warnings) && known;
  }

  private static void requirePossible(LanguageModel model, VllmSettings settings) {
    if (model.layers().full() + model.layers().windowed() == 0) {
      throw InputException.invalidArgument(
          "unknown-architecture",
          model.name()
              + ": none of its layers caches keys and values; the memory of a server with it is"
              + " unknown until it is measured.");
    }
    int tensor = settings.tensor();
    long padded = new Weights(model).paddedVocabulary();
    int heads = model.attention().heads();
    if (heads % tensor != 0 || padded % tensor != 0) {
      throw InputException.invalidArgument(
          "bad-engine-argument",
          "--tensor-parallel-size "
              + tensor
              + " must divide the "
              + heads
              + " heads and the "
              + padded
              + " padded tokens of "
              + model.name()
              + ".");
    }
    if (model.attention() instanceof Attention.Grouped grouped
        && tensor > grouped.kvHeads()
        && tensor % grouped.kvHeads() != 0) {
      throw InputException.invalidArgument(
          "bad-engine-argument",
          "--tensor-parallel-size "
              + tensor
              + " is no multiple of the "
              + grouped.kvHeads()
              + " KV heads of "
              + model.name()
              + ".");
    }
    if (settings.pipeline() > model.layers().count()) {
      throw InputException.invalidArgument(
          "bad-engine-argument",
          "--pipeline-parallel-size "
              + settings.pipeline()
              + " is above the "
              + model.layers().count()
              + " layers of "
              + model.name()
              + ".");
    }
    long length = settings.length(model);
    if (model.positions().limited()
        && length > model.positions().longest()
        && length > model.positions().tableRows()) {
      throw InputException.invalidArgument(
          "bad-engine-argument",
          "--max-model-len "
              + length
              + " is above the "
              + model.positions().longest()
              + " tokens of "
              + model.name()
              + ".");
    }
  }
}
