package dev.cotenant.llm.inference;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.learning.quantile.Quantiles;
import dev.cotenant.llm.inference.TransformersVersion.Release;
import dev.cotenant.llm.memory.KvCache;
import dev.cotenant.llm.memory.Weights;
import dev.cotenant.llm.model.LanguageModel;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Peak memory of generation with plain transformers, in bytes summed over its GPUs: weights, KV
 * cache and the prompt's largest transient, which differs by release. Each of several GPUs holds a
 * transient of its own. From 4.45 to 4.50 AWQ's loader creates the head of a tied model before it
 * ties it.
 *
 * @param constants what a process allocates beside, by release
 */
public record GenerationFormula(Map<Release, Double> constants) {
  /** A logit in half precision and in fp32. */
  private static final double LOGIT_BYTES = 6;

  /** Learned from every measured run; a test holds these to the fit. */
  public static final GenerationFormula SHIPPED =
      new GenerationFormula(
          Map.of(
              Release.WHOLE_PROMPT, 235.3 * MemorySize.MIB,
              Release.LAST_TOKEN, 27.0 * MemorySize.MIB,
              Release.LEAN, 37.2 * MemorySize.MIB));

  public GenerationFormula {
    constants = Map.copyOf(constants);
  }

  /** The parts of a prediction, in bytes. */
  public record Parts(double weights, double kvCache, double transients) {
    /** All of them. */
    public double peak() {
      return weights + kvCache + transients;
    }
  }

  private double peak(GenerationRun run) {
    return predict(run.model(), run.secondHead(), run.settings()).peak();
  }

  /** Learned from runs: the constant of least mean relative error, by release. */
  public static GenerationFormula of(List<GenerationRun> runs) {
    GenerationFormula without = new GenerationFormula(Map.of());
    Map<Release, Double> found = new EnumMap<>(Release.class);
    for (Release release : Release.values()) {
      List<GenerationRun> own =
          runs.stream()
              .filter(run -> run.settings().release() == release && run.settings().gpus() == 1)
              .toList();
      if (!own.isEmpty()) {
        found.put(
            release,
            Quantiles.weighted(
                own.stream().mapToDouble(run -> run.bytes() - without.peak(run)).toArray(),
                own.stream().mapToDouble(run -> 1 / run.bytes()).toArray(),
                0.5));
      }
    }
    return new GenerationFormula(found);
  }

  /**
   * The parts of a run.
   *
   * @param secondHead whether the checkpoint of a tied model carries a head of its own
   */
  public Parts predict(LanguageModel model, boolean secondHead, GenerationSettings settings) {
    double perToken = new KvCache(model, 1, 1, model.valueBytes()).bytesPerToken();
    double prompt = settings.promptTokens();
    double whole = perToken * (prompt + settings.generatedTokens());
    Weights weights = new Weights(model);
    double head = model.tied() ? weights.embeddingParameters() * 2 : 0;
    double loaded = weights.bytes() + (secondHead ? head : 0);
    double layer = 2 * prompt * (3.0 * model.feedForward().width() + 4.0 * model.hidden());
    double during =
        switch (settings.release()) {
          case WHOLE_PROMPT ->
              LOGIT_BYTES * prompt * model.vocabulary() + 2 * layer * (settings.gpus() - 1);
          case LAST_TOKEN -> layer * settings.gpus();
          case LEAN -> 0;
        };
    boolean loadsHead =
        settings.release() == Release.LAST_TOKEN && model.quantization().method().startsWith("awq");
    double transients =
        Math.max(0, Math.max(perToken * prompt + during, loadsHead ? head : 0) - whole);
    double constant = constants.getOrDefault(settings.release(), 0.0) * settings.gpus();
    return new Parts(loaded, whole, transients + constant);
  }
}
