package dev.cotenant.llm.tuning;

import dev.cotenant.llm.fit.RidgeFit;
import dev.cotenant.llm.memory.Weights;
import dev.cotenant.llm.model.LanguageModel;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Peak memory of fine-tuning on a GPU: states by arithmetic, activations, logits and what a stack
 * adds by coefficients.
 */
public final class TuningFormula {
  /** Learned from every measured job; a test holds these to the fit. */
  public static final TuningFormula SHIPPED =
      new TuningFormula(
          Map.of(
              TuningStack.PEFT, new double[] {0.8943, 0.7459, 1.3186, 0.5646},
              TuningStack.LITGPT, new double[] {1.0314, 8.7138, 1.2913, 1.1899, 1.2995},
              TuningStack.CHECKPOINTED,
                  new double[] {1.6103, 1.5733, 9.1617, 2.6613e9, 1.0597, -3.6763, 0.1230}));

  private final Map<TuningStack, double[]> coefficients;

  private TuningFormula(Map<TuningStack, double[]> coefficients) {
    this.coefficients = coefficients;
  }

  /**
   * The parts of a prediction, in bytes.
   *
   * @param weights of the base model, with what sharding gathers
   * @param states trained values, gradients and moments
   * @param activations activations, logits and working memory
   */
  public record Parts(double weights, double states, double activations) {
    /** All of them. */
    public double peak() {
      return weights + states + activations;
    }
  }

  /** Learned from measured jobs; stacks without one keep typical coefficients. */
  public static TuningFormula of(List<TuningRun> runs) {
    Map<TuningStack, double[]> found = new EnumMap<>(TuningStack.class);
    for (TuningStack stack : TuningStack.values()) {
      List<TuningRun> own = runs.stream().filter(run -> belongs(run, stack)).toList();
      found.put(stack, own.isEmpty() ? stack.typical() : fit(stack, own));
    }
    return new TuningFormula(found);
  }

  private static boolean belongs(TuningRun run, TuningStack stack) {
    TuningSettings settings = run.settings();
    return settings != null && settings.stack() == stack && !run.ranOut();
  }

  private static double[] fit(TuningStack stack, List<TuningRun> runs) {
    double[][] features = new double[runs.size()][];
    double[] targets = new double[runs.size()];
    double[] weights = new double[runs.size()];
    for (int i = 0; i < runs.size(); i++) {
      TuningRun run = runs.get(i);
      TuningAmounts amounts =
          TuningAmounts.of(run.model(), java.util.Objects.requireNonNull(run.settings()));
      features[i] = amounts.features();
      targets[i] = run.bytes() - amounts.fixed();
      weights[i] = 1 / run.bytes();
    }
    return RidgeFit.of(
        new RidgeFit.Rows(features, targets, weights), stack.typical(), stack.ridge());
  }

  /** The coefficients of a stack, in the order of its features. */
  public double[] coefficients(TuningStack stack) {
    return java.util.Objects.requireNonNull(coefficients.get(stack)).clone();
  }

  /** The parts of a job, or of generation where there are no settings. */
  public Parts predict(LanguageModel model, @Nullable TuningSettings settings) {
    if (settings == null) {
      return new Parts(generation(model), 0, 0);
    }
    TuningAmounts amounts = TuningAmounts.of(model, settings);
    double[] factors = coefficients(settings.stack());
    double activations = 0;
    for (int i = 0; i < factors.length; i++) {
      activations += factors[i] * amounts.features()[i];
    }
    return new Parts(
        amounts.weights() + amounts.gathered(), amounts.states(), Math.max(0, activations));
  }

  /** Weights with a head of their own; where they are quantized, the head's copies. */
  private static double generation(LanguageModel model) {
    Weights base = new Weights(model);
    double embedding = base.embeddingParameters();
    double head = embedding * base.linearBytes();
    double copies = model.quantization().isNone() ? 0 : 4 * embedding;
    return base.linearParameters() * base.linearBytes() + 2 * embedding + head + copies;
  }
}
