package dev.cotenant.llm.serving;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.llm.serving.ServingRun.Measured;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What the parts of a measured start say together: parts that follow from its sums, and whether
 * they agree with arithmetic.
 */
public final class StartEvidence {
  /** Weights of published starts differ from arithmetic by 0.28 GiB at most. */
  private static final double WEIGHTS_OFF = 0.5 * MemorySize.GIB;

  private static final double WEIGHTS_OFF_RELATIVE = 0.05;

  /** Tokens of a pool are exact but for rounded gibibytes and, with stages, the smallest rank. */
  private static final double TOKENS_OFF = 0.03;

  /** Memory that a card has beyond what the catalogue says. */
  private static final double CARD_OFF = 1.02;

  /**
   * Least share of the required tensors: formulas include some that a kernel may write in place.
   */
  private static final double MIN_ACTIVATION = 0.5;

  private StartEvidence() {}

  /**
   * The start with what its sums tell: without a fixed pool, activations are the utilization less
   * weights, pool, and the shipped memory outside of PyTorch; the context is what remains of the
   * process, unknown where that is negative or far above the shipped one.
   *
   * @param process bytes that the process holds on its first GPU; NaN where unknown
   */
  public static ServingRun completed(ServingRun run, double process) {
    ServingCoefficients shipped = ServingCoefficients.SHIPPED.of(run.settings().version());
    ServingAmounts amounts = ServingAmounts.of(run.model(), run.settings(), run.card());
    Parallelism parallelism = Parallelism.of(run.model(), run.settings());
    Measured found = run.measured();
    double weights = either(found.weights(), amounts.weights());
    double nonTorch = either(found.nonTorch(), shipped.nonTorch(parallelism));
    double graphs = either(found.graphs(), shipped.graphs(amounts));
    double pool = either(found.kvCache(), found.kvTokens() * amounts.kvPerToken());
    double activation = found.activation();
    if (Double.isNaN(activation) && run.settings().kvCacheBytes() == null) {
      double inside = run.settings().utilizationOrDefault() * run.card().totalBytes();
      activation =
          inside - weights - nonTorch - pool - (run.settings().graphsInside() ? graphs : 0);
    }
    boolean vision = run.model().visionParameters() > 0;
    double peak = either(activation, shipped.activation(amounts, vision, run.settings().version()));
    double context =
        either(
            found.context(),
            plausible(
                process - weights - peak - nonTorch - graphs - pool, shipped.context(parallelism)));
    return new ServingRun(
        run.place(),
        run.family(),
        run.model(),
        run.settings(),
        run.card(),
        new Measured(
            context,
            weights,
            activation,
            found.nonTorch(),
            found.graphs(),
            found.graphEstimate(),
            pool,
            found.kvTokens()),
        run.planner());
  }

  private static double plausible(double context, double shipped) {
    return context >= 0 && context <= shipped + LearnedServing.MAX_DRIFT ? context : Double.NaN;
  }

  private static double either(double first, double second) {
    return Double.isNaN(first) ? second : first;
  }

  /**
   * Why nothing is learned from a start; null where it agrees with arithmetic.
   *
   * @param stated the start without what follows from its sums
   * @param run the {@linkplain #completed completed} start
   * @param cardBytes memory of the whole card
   */
  public static @Nullable String problem(ServingRun stated, ServingRun run, double cardBytes) {
    VllmVersion version = run.settings().version();
    if (!version.isNear()) {
      return "vLLM " + version + " is far from the releases that are known";
    }
    ServingAmounts amounts = ServingAmounts.of(run.model(), run.settings(), run.card());
    Measured found = run.measured();
    if (!(found.kvCache() > 0) || !(found.weights() > 0)) {
      return "it states no weights and KV cache";
    }
    if (Double.isNaN(found.activation())
        && Double.isNaN(found.context())
        && Double.isNaN(found.nonTorch())
        && Double.isNaN(found.graphs())) {
      return "it states no context, activations, memory outside of PyTorch nor CUDA graphs";
    }
    double off = Math.abs(found.weights() - amounts.weights());
    if (off > Math.max(WEIGHTS_OFF, WEIGHTS_OFF_RELATIVE * amounts.weights())) {
      return "its weights take "
          + gib(found.weights())
          + ", arithmetic gives "
          + gib(amounts.weights())
          + ": another model, quantization or parallelism ran";
    }
    double tokens = found.kvCache() / amounts.kvPerToken();
    if (Math.abs(found.kvTokens() - tokens) > TOKENS_OFF * tokens) { // never for NaN
      return String.format(
          Locale.ROOT,
          "its KV cache holds %.0f tokens, arithmetic gives %.0f",
          found.kvTokens(),
          tokens);
    }
    double least = MIN_ACTIVATION * Math.max(amounts.logits() * amounts.valueBytes(), 0);
    if (found.activation() < least) {
      return "its activations take "
          + gib(found.activation())
          + ", the logits of its largest batch alone "
          + gib(2 * least);
    }
    double shipped =
        ServingCoefficients.SHIPPED
            .of(version)
            .activation(amounts, run.model().visionParameters() > 0, version);
    if (Double.isNaN(stated.measured().activation())
        && found.activation() > shipped + LearnedServing.MAX_DRIFT) {
      return "its KV cache leaves "
          + gib(found.activation())
          + " for activations, arithmetic gives "
          + gib(shipped)
          + ": other arguments or a limit of memory hold";
    }
    if (found.nonTorch() < -MemorySize.GIB
        || found.context() < 0
        || found.graphs() < -MemorySize.GIB) {
      return "a part is negative";
    }
    double sum = 0;
    for (double part :
        new double[] {
          found.context(),
          found.weights(),
          found.activation(),
          found.nonTorch(),
          found.graphs(),
          found.kvCache()
        }) {
      sum += Double.isNaN(part) ? 0 : part;
    }
    return sum > CARD_OFF * cardBytes
        ? "its parts sum to " + gib(sum) + " of a GPU with " + gib(cardBytes)
        : null;
  }

  private static String gib(double bytes) {
    return String.format(Locale.ROOT, "%.2f GiB", bytes / MemorySize.GIB);
  }
}
