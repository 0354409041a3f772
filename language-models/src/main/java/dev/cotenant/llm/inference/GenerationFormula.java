package dev.cotenant.llm.inference;

import dev.cotenant.llm.inference.GenerationSettings.Release;
import dev.cotenant.llm.memory.KvCache;
import dev.cotenant.llm.memory.Weights;
import dev.cotenant.llm.model.LanguageModel;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Peak memory of generation with plain transformers, in bytes summed over its GPUs: weights, KV
 * cache and the prompt's largest transient, which differs by release.
 *
 * @param constants what a process allocates beside, by release
 */
public record GenerationFormula(Map<Release, Double> constants) {
  /** A logit in half precision and in fp32. */
  private static final double LOGIT_BYTES = 6;

  private static final double MIB = 1 << 20;

  /** Learnt from every measured run; a test holds these to the fit. */
  public static final GenerationFormula SHIPPED =
      new GenerationFormula(
          Map.of(
              Release.WHOLE_PROMPT, 300 * MIB, Release.LAST_TOKEN, 50 * MIB, Release.LEAN, 40 * MIB));

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

  /** Learnt from runs: the median of what the arithmetic leaves, by release. */
  public static GenerationFormula of(List<GenerationRun> runs) {
    GenerationFormula without = new GenerationFormula(Map.of());
    Map<Release, Double> found = new EnumMap<>(Release.class);
    for (Release release : Release.values()) {
      double[] left =
          runs.stream()
              .filter(run -> run.settings().release() == release && run.settings().gpus() == 1)
              .mapToDouble(
                  run ->
                      run.bytes()
                          - without.predict(run.model(), run.secondHead(), run.settings()).peak())
              .sorted()
              .toArray();
      if (left.length > 0) {
        found.put(release, left[left.length / 2]);
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
    double head = secondHead && model.tied() ? weights.embeddingParameters() * 2 : 0;
    double during =
        switch (settings.release()) {
          case WHOLE_PROMPT -> LOGIT_BYTES * prompt * model.vocabulary();
          case LAST_TOKEN ->
              2 * prompt * (3.0 * model.feedForward().width() + 4.0 * model.hidden());
          case LEAN -> 0;
        };
    double transients = Math.max(0, perToken * prompt + during - whole);
    double constant = constants.getOrDefault(settings.release(), 0.0) * settings.gpus();
    return new Parts(weights.bytes() + head, whole, transients + constant);
  }
}
