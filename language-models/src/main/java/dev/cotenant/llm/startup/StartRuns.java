package dev.cotenant.llm.startup;

import dev.cotenant.domain.InputException;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.pod.Value;
import dev.cotenant.llm.pod.VllmArguments;
import dev.cotenant.llm.serving.ServingCard;
import dev.cotenant.llm.serving.ServingRun;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Joins what a log states with the model that it names. */
public final class StartRuns {
  private StartRuns() {}

  /**
   * The start as a measured run.
   *
   * @param model as its files declare it
   * @param card by name; its memory is what the log states where it does
   * @throws InputException ({@code bad-engine-argument}) for an argument that is none or that takes
   *     memory which no formula counts
   */
  public static ServingRun of(EngineStart start, LanguageModel model, ServingCard card) {
    Map<String, Value> flags = start.flags();
    VllmArguments arguments = VllmArguments.of(start.version(), flags);
    if (!arguments.ignored().isEmpty()) {
      throw InputException.invalidArgument(
          "bad-engine-argument",
          String.join(", ", arguments.ignored()) + ": nothing is learned of such a start.");
    }
    EngineStart.Measured measured = start.measured();
    Double total = measured.total();
    return new ServingRun(
        start.place(),
        model.name(),
        VllmArguments.modelAsRun(model, flags),
        arguments.settings(),
        total == null ? card : new ServingCard(card.name(), total),
        new ServingRun.Measured(
            orNaN(measured.context()),
            orNaN(measured.weights()),
            orNaN(measured.activation()),
            orNaN(measured.nonTorch()),
            orNaN(measured.graphs()),
            Double.NaN,
            orNaN(measured.kvCache()),
            orNaN(measured.kvTokens())),
        new ServingRun.Planner(Double.NaN, Double.NaN, Double.NaN, Double.NaN));
  }

  private static double orNaN(@Nullable Double value) {
    return value == null ? Double.NaN : value;
  }
}
