package dev.cotenant.cli.training;

import dev.cotenant.domain.InputException;
import java.util.List;
import picocli.CommandLine.Option;

/** Which measured runs, and what decides the random choices. */
final class DataOptions {
  @Option(
      names = "--data",
      paramLabel = "FORMAT:PATH",
      description = {
        "A set for training or evaluation; repeatable. Measured runs: ${bundle:formats.runs}.",
        "For forecasts series: ${bundle:formats.series}.",
        "For interference colocations: ${bundle:formats.colocations}.",
        "For step-time step times: ${bundle:formats.step-times}.",
        "For llm memory of language models: ${bundle:formats.language-models}.",
        "Step times, series and colocations default to what the folder COTENANT_TEST_DATA has."
      })
  private List<String> data = List.of();

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Random seed (default 1).")
  private long seed;

  @Option(
      names = "--seeds",
      paramLabel = "N",
      defaultValue = "3",
      description = "Number of seeds over which figures are averaged (default 3).")
  private int seeds;

  long seed() {
    return seed;
  }

  List<String> data() {
    return data;
  }

  /** At least 1. */
  int seeds() {
    if (seeds < 1) {
      throw InputException.invalidArgument(
          "seeds-out-of-range", "--seeds must be at least 1, is " + seeds + ".");
    }
    return seeds;
  }
}
