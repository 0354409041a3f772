package dev.cotenant.llm;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.text.PlainText;
import dev.cotenant.llm.MemoryPrediction.Bounded;
import dev.cotenant.llm.MemoryPrediction.Part;
import dev.cotenant.llm.fit.FamilyBound;
import dev.cotenant.llm.inference.GenerationBounds;
import dev.cotenant.llm.inference.GenerationFormula;
import dev.cotenant.llm.inference.GenerationSettings;
import dev.cotenant.llm.inference.TransformersVersion;
import dev.cotenant.llm.inference.TransformersVersion.Release;
import dev.cotenant.llm.memory.Modules;
import dev.cotenant.llm.memory.ProcessContext;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.serving.LearnedServing;
import dev.cotenant.llm.serving.ReleaseCoefficients;
import dev.cotenant.llm.serving.ServingCard;
import dev.cotenant.llm.serving.ServingCoefficients;
import dev.cotenant.llm.serving.ServingParts;
import dev.cotenant.llm.serving.StatedServer;
import dev.cotenant.llm.serving.VllmSettings;
import dev.cotenant.llm.tuning.TuningBounds;
import dev.cotenant.llm.tuning.TuningFormula;
import dev.cotenant.llm.tuning.TuningSettings;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Predicts with the coefficients in force; bounds are twice as wide outside of what was measured,
 * and rest on the larger of the shipped and the learned constants.
 *
 * @param level share of families in which bounds are to hold, such as 0.9
 * @param learned coefficients of releases from an installation's own logs
 */
public record MemoryPredictor(double level, ReleaseCoefficients learned) {
  /** With the shipped coefficients alone. */
  public MemoryPredictor(double level) {
    this(level, LearnedServing.NONE);
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
    VllmRefusals.requirePossible(model, settings, card);
    List<String> warnings = ModelNotes.warnings(model);
    ServingCoefficients inForce = learned.coefficients(settings.version());
    boolean known = warnings.isEmpty() && unread.isNone();
    if (learned.isPromoted(settings.version())) {
      warnings.add(
          "coefficients of vLLM " + settings.version() + " are learned from measured starts");
    }
    boolean measured = isMeasured(ModelNotes.unmeasured(model, settings, card), warnings) && known;
    ServingCoefficients most = // what is learned lowers no bound: neighbours rest on it
        inForce.orMore(LearnedServing.NONE.coefficients(settings.version()));
    return new VllmPrediction(
            model,
            settings,
            card,
            new BoundLevel(level, measured),
            ServingParts.of(inForce, model, settings, card),
            ServingParts.ofLast(inForce, model, settings, card),
            ServingParts.of(most, model, settings, card),
            ServingParts.ofLast(most, model, settings, card))
        .predict(concurrency, unread, warnings);
  }

  /**
   * A server of which arguments state weights and KV cache alone: nothing bounds the rest but the
   * card.
   *
   * @param notes one line for each value that is not known
   */
  public MemoryPrediction stated(
      LanguageModel model, StatedServer server, ServingCard card, List<String> notes) {
    VllmRefusals.requireCache(model);
    VllmRefusals.requireDivisible(model, server.tensor());
    StatedServer.Parts parts = server.on(model, card.totalBytes());
    List<String> warnings = ModelNotes.warnings(model);
    warnings.addAll(notes);
    warnings.add(
        "activations, graphs and buffers of "
            + server.engine()
            + " are unknown until it is measured: the upper bound is the memory of the GPU");
    Map<String, Part> named = new LinkedHashMap<>();
    named.put("weights_bytes", part(parts.weights(), "arithmetic on the model's files"));
    Double cache = parts.kvCache();
    Long tokens = parts.kvTokens();
    if (cache != null && tokens != null) {
      named.put("kv_cache_bytes", part(cache, "tokens or share that its arguments state"));
      named.put("kv_cache_tokens", new Part(tokens, "pool / bytes of a token"));
    }
    return new MemoryPrediction(
            model.name(),
            server.engine(),
            "",
            card.name(),
            new Bounded((long) parts.takes(), (long) card.totalBytes(), null)
                .atLeast((long) Math.ceil(parts.takes())),
            named,
            null,
            warnings)
        .within(card.totalBytes());
  }

  /**
   * Fine-tuning, per GPU.
   *
   * @param assumed one line for each setting that nothing states; with any, the bound has no
   *     coverage
   */
  public MemoryPrediction tuning(
      LanguageModel model, TuningSettings settings, String device, List<String> assumed) {
    TuningFormula.Parts parts = TuningFormula.SHIPPED.predict(model, settings);
    double context = settings.stack().contextBytes();
    List<String> warnings = ModelNotes.warnings(model);
    boolean known = warnings.isEmpty() && assumed.isEmpty();
    warnings.addAll(assumed);
    List<String> outside = settings.stack().unmeasured(model, settings);
    List<String> modules =
        Modules.unknown(
            model, Stream.concat(settings.targets().stream(), settings.whole().stream()).toList());
    if (settings.trainable() == null && !modules.isEmpty()) {
      known = false;
      warnings.add(
          "modules "
              + PlainText.of(String.join(", ", modules))
              + " are none that are known: what is trained of them is not counted");
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

  /**
   * Generation with plain transformers, summed over its GPUs.
   *
   * @param most the largest run that nothing excludes, whose bound counts
   * @param assumed one line for each setting that nothing states; with any, the bound has no
   *     coverage
   */
  public MemoryPrediction generation(
      LanguageModel model,
      GenerationSettings settings,
      GenerationSettings most,
      String device,
      List<String> assumed) {
    List<String> warnings = ModelNotes.warnings(model);
    boolean stated = warnings.isEmpty() && assumed.isEmpty() && settings.version() != null;
    warnings.addAll(assumed);
    if (settings.version() == null) {
      warnings.add(
          "no version of transformers is stated: "
              + settings.release().measured()
              + " is assumed, and the bound is that of the release that takes most");
    }
    boolean measured =
        isMeasured(GenerationBounds.unmeasured(model, settings, device), warnings) && stated;
    double context = ProcessContext.BYTES * settings.gpus();
    GenerationFormula.Parts parts = GenerationFormula.SHIPPED.predict(model, false, settings);
    TransformersVersion version = settings.version();
    return relative(
            new Subject(
                model,
                "transformers",
                (version == null ? settings.release().measured() : version).toString(),
                device),
            parts.peak() + context,
            GenerationBounds.SHIPPED.of(model, settings),
            measured,
            generationParts(parts, context),
            warnings)
        .atLeast(settings.equals(most) && version != null ? 0 : upper(model, most, measured));
  }

  /** Largest bound over all possible releases. */
  private long upper(LanguageModel model, GenerationSettings most, boolean measured) {
    return Stream.of(Release.values())
        .map(release -> most.version() == null ? most.of(release) : most)
        .mapToLong(run -> {
          double peak =
              GenerationFormula.SHIPPED.predict(model, false, run).peak()
                  + ProcessContext.BYTES * run.gpus();
          FamilyBound bound = GenerationBounds.SHIPPED.of(model, run);
          return (long) Math.ceil(peak * (1 + new BoundLevel(level, measured).extra(bound)));
        })
        .max()
        .orElse(0);
  }

  private static Map<String, Part> generationParts(GenerationFormula.Parts parts, double context) {
    Map<String, Part> named = new LinkedHashMap<>();
    named.put("weights_bytes", part(parts.weights(), "arithmetic on the model's files"));
    named.put("kv_cache_bytes", part(parts.kvCache(), "tokens of prompt and answer"));
    named.put("activation_bytes", part(parts.transients(), "the prompt's largest transient"));
    named.put("context_bytes", part(context, "typical process on each GPU"));
    return named;
  }

  /** Whether the configuration was measured; adds a warning otherwise. */
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
    BoundLevel at = new BoundLevel(level, measured);
    long upper = (long) Math.ceil(peak * (1 + at.extra(bound)));
    return new MemoryPrediction(
        of.model().name(),
        of.engine(),
        of.version(),
        of.device(),
        new Bounded((long) peak, upper, at.coverage(bound)),
        parts,
        null,
        warnings);
  }

  private static Part part(double bytes, String basis) {
    return new Part((long) bytes, basis);
  }
}
