package dev.cotenant.evaluation.llm;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.evaluation.llm.LlmFigures.Title;
import dev.cotenant.llm.memory.Weights;
import dev.cotenant.llm.serving.ServingBounds;
import dev.cotenant.llm.serving.ServingCoefficients;
import dev.cotenant.llm.serving.ServingFit;
import dev.cotenant.llm.serving.ServingParts;
import dev.cotenant.llm.serving.ServingRun;
import dev.cotenant.llm.serving.VllmSettings;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** Starts of vLLM: one row for each configuration, pipelines of at most two stages. */
final class ServingEvaluation {
  private static final double LEVEL = 0.9;

  /** KAITO's constant beside the weights, and its share of the card. */
  private static final double KAITO = 2.3 * MemorySize.GIB;

  private static final double KAITO_SHARE = 0.05;

  /** What accelerate's estimator multiplies the weights with. */
  private static final double ACCELERATE = 1.2;

  /** What one learns: coefficients, and bounds from families of the same rows. */
  private record Learned(ServingCoefficients coefficients, ServingBounds bounds) {
    static Learned of(List<ServingRun> runs) {
      return new Learned(ServingFit.of(runs), ServingBounds.of(runs));
    }
  }

  /** A row with its prediction. */
  private record Case(ServingRun run, ServingParts parts, ServingBounds bounds) {}

  private final List<LlmFigures> figures = new ArrayList<>();
  private final List<ServingRun> scored;
  private final List<Case> cases;

  private ServingEvaluation(List<ServingRun> data, List<ServingRun> test) {
    List<ServingRun> known = configurations(data);
    this.scored = test.isEmpty() ? data : test;
    this.cases =
        HeldOut.of(known, configurations(test), ServingRun::family, Learned::of).stream()
            .map(held ->
                new Case(
                    held.row(),
                    ServingParts.of(
                        held.learned().coefficients(),
                        held.row().model(),
                        held.row().settings(),
                        held.row().card()),
                    held.learned().bounds()))
            .toList();
  }

  static List<LlmFigures> of(List<ServingRun> data, List<ServingRun> test) {
    if (!Families.suffices(data, test, ServingRun::family)) {
      return List.of();
    }
    return new ServingEvaluation(data, test).evaluate();
  }

  /** The first run of each configuration; the longest sequence changes none of the parts. */
  static List<ServingRun> configurations(List<ServingRun> runs) {
    Map<List<Object>, ServingRun> first = new LinkedHashMap<>();
    for (ServingRun run : runs) {
      VllmSettings settings = run.settings();
      if (settings.pipeline() > 2) {
        continue;
      }
      first.putIfAbsent(
          List.of(
              run.model(),
              run.card(),
              settings.version(),
              settings.tensor(),
              settings.pipeline(),
              java.util.Objects.requireNonNullElse(settings.kvValueBytes(), 0),
              java.util.Objects.requireNonNullElse(settings.maxSequences(), 0),
              java.util.Objects.requireNonNullElse(settings.maxBatchedTokens(), 0),
              settings.eager()),
          run);
    }
    return List.copyOf(first.values());
  }

  private List<LlmFigures> evaluate() {
    Title weights = new Title("vLLM weights", "GiB");
    compare(
        weights,
        c -> c.run().measured().weights(),
        c -> c.parts().weights(),
        LlmBar.errors(0.05, 0.20, 0.02, 0.08));
    baseline(
        weights, "planner", c -> c.run().measured().weights(), c -> c.run().planner().weights());
    baseline(
        weights,
        "2 B a parameter",
        c -> c.run().measured().weights(),
        c ->
            2
                * new Weights(c.run().model()).parameters()
                / c.run().settings().tensor()
                / c.run().settings().pipeline());
    tokens();
    Title activation = new Title("vLLM activation peak", "GiB");
    compare(
        activation,
        c -> c.run().measured().activation(),
        c -> c.parts().activation(),
        LlmBar.errors(0.10, 0.25, 0.05, 0.12));
    baseline(
        activation,
        "planner",
        c -> c.run().measured().activation(),
        c -> c.run().planner().activation());
    Title inside = new Title("vLLM all but KV", "GiB");
    compare(
        inside,
        c -> c.run().measured().allButKv(),
        c -> c.parts().allButKv(),
        LlmBar.errors(0.12, 0.35, 0.05, 0.18));
    baseline(
        inside,
        "accelerate x 1.2",
        c -> c.run().measured().allButKv(),
        c -> ACCELERATE * c.parts().weights());
    Title pool = new Title("vLLM KV pool", "GiB");
    compare(
        pool,
        c -> c.run().measured().kvCache(),
        c -> c.parts().kvCache(),
        LlmBar.errors(0.12, 0.35, 0.05, 0.18));
    baseline(pool, "planner", c -> c.run().measured().kvCache(), c -> c.run().planner().kvCache());
    outside();
    bounds();
    return figures;
  }

  private void outside() {
    Title graphs = new Title("vLLM CUDA graphs", "GiB");
    compare(
        graphs,
        c -> c.run().measured().graphs(),
        c -> c.parts().graphs(),
        LlmBar.errors(0.15, 0.40, 0.08, 0.20));
    baseline(
        graphs,
        "vLLM's estimate",
        c -> c.run().measured().graphs(),
        c -> c.run().measured().graphEstimate());
    Title beyond = new Title("vLLM beyond weights and KV", "GiB");
    compare(
        beyond,
        c -> c.run().measured().beyondWeights(),
        c -> c.parts().withoutKv() - c.parts().weights(),
        LlmBar.errors(0.15, 0.50, 0.08, 0.25));
    baseline(beyond, "KAITO 2.3 GiB", c -> c.run().measured().beyondWeights(), c -> KAITO);
    baseline(
        beyond,
        "KAITO 2.3 GiB + 5 %",
        c -> c.run().measured().beyondWeights(),
        c -> KAITO + KAITO_SHARE * c.run().card().totalBytes());
    baseline(
        beyond,
        "accelerate x 1.2",
        c -> c.run().measured().beyondWeights(),
        c -> (ACCELERATE - 1) * c.parts().weights());
    Title process = new Title("vLLM process", "GiB");
    compare(
        process,
        c -> c.run().measured().process(),
        c -> c.parts().process(),
        LlmBar.errors(0.15, 0.45, 0.08, 0.25));
    baseline(
        process,
        "utilization x GPU",
        c -> c.run().measured().process(),
        c ->
            java.util.Objects.requireNonNullElse(c.run().settings().utilization(), 0.0)
                * c.run().card().totalBytes());
  }

  private void bounds() {
    figures.add(
        LlmFigures.ofBounds(
            new Title("vLLM all but KV, 90 % bound", "GiB"),
            cases.stream()
                .map(c ->
                    (c.parts().allButKv()
                            + c.bounds().allButKv().at(LEVEL)
                            - c.run().measured().allButKv())
                        / MemorySize.GIB)
                .toList(),
            LlmBar.bound(0.5, 0.25)));
    figures.add(
        LlmFigures.ofBounds(
            new Title("vLLM with context and graphs, 90 % bound", "GiB"),
            cases.stream()
                .map(c ->
                    (c.parts().withoutKv()
                            + c.bounds().overhead().at(LEVEL)
                            - c.run().measured().weights()
                            - c.run().measured().beyondWeights())
                        / MemorySize.GIB)
                .toList(),
            LlmBar.bound(1.5, 0.8)));
  }

  /** Every row of one stage, repeated configurations included. */
  private void tokens() {
    Title title = new Title("vLLM KV tokens given the pool", "%");
    List<Double> ours = new ArrayList<>();
    List<Double> planner = new ArrayList<>();
    for (ServingRun run : scored) {
      if (run.settings().pipeline() > 1) {
        continue;
      }
      ServingParts parts =
          ServingParts.of(ServingCoefficients.SHIPPED, run.model(), run.settings(), run.card());
      double measured = run.measured().kvTokens();
      ours.add(100 * (parts.tokens(run.measured().kvCache()) / measured - 1));
      double other = run.planner().kvTokens();
      if (!Double.isNaN(other)) {
        planner.add(100 * (other / measured - 1));
      }
    }
    if (!ours.isEmpty()) {
      figures.add(
          LlmFigures.ofErrors(
              title, LlmFigures.OURS, ours, new LlmBar(LlmBar.Kind.EVERY_ROW, 0.1, 0.1, 0.1, 0.1)));
    }
    if (!planner.isEmpty()) {
      figures.add(LlmFigures.ofErrors(title, "planner", planner, LlmBar.NONE));
    }
  }

  private void compare(
      Title title, ToDoubleFunction<Case> measured, ToDoubleFunction<Case> predicted, LlmBar bar) {
    add(title, LlmFigures.OURS, measured, predicted, bar);
  }

  private void baseline(
      Title title, String name, ToDoubleFunction<Case> measured, ToDoubleFunction<Case> predicted) {
    add(title, name, measured, predicted, LlmBar.NONE);
  }

  private void add(
      Title title,
      String model,
      ToDoubleFunction<Case> measured,
      ToDoubleFunction<Case> predicted,
      LlmBar bar) {
    List<Double> errors =
        cases.stream()
            .map(c -> (predicted.applyAsDouble(c) - measured.applyAsDouble(c)) / MemorySize.GIB)
            .filter(error -> !error.isNaN())
            .toList();
    if (!errors.isEmpty()) {
      figures.add(LlmFigures.ofErrors(title, model, errors, bar));
    }
  }
}
