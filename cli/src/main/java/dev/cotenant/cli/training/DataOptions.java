package dev.cotenant.cli.training;

import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Words;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.profile.ProfileSource;
import java.util.List;
import picocli.CommandLine.Option;

/** Which measured runs, and what decides the random choices. */
final class DataOptions {
  @Option(
      names = "--data",
      paramLabel = "FORMAT:PATH",
      description = {
        "A set of measured runs: collector:FOLDER, gpumemnet:FILE, named-models:FILE, spread:FILE,"
            + " carma:FILE, alnair:FILE or lucid:FILE; repeatable.",
        "For forecasts a set of series, alibaba-genai:FILE or spread-series:FILE; for interference"
            + " measured colocations. Both default to what the folder COTENANT_TEST_DATA has."
      })
  private List<String> data = List.of();

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Every random choice follows from it (default 1).")
  private long seed;

  @Option(
      names = "--seeds",
      paramLabel = "N",
      defaultValue = "3",
      description = "How many seeds the figures are averaged over (default 3).")
  private int seeds;

  long seed() {
    return seed;
  }

  /** The sets as they were named. */
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

  /** Reads every set, in the order given, and notes how much there was. */
  List<ProfileSource.Result> read(ProfileSets sets, Console console) {
    if (data.isEmpty()) {
      throw InputException.invalidArgument(
          "no-data", "name at least one set of measured runs: --data gpumemnet:FILE.");
    }
    return read(data, sets, console);
  }

  /** As above, for sets that another option names. */
  static List<ProfileSource.Result> read(List<String> data, ProfileSets sets, Console console) {
    List<ProfileSource> sources = data.stream().map(sets::named).toList();
    List<ProfileSource.Result> read = sources.stream().map(ProfileSource::read).toList();
    for (int i = 0; i < data.size(); i++) {
      console.note(data.get(i) + ": " + describe(read.get(i)));
    }
    return read;
  }

  private static String describe(ProfileSource.Result set) {
    return Words.count(set.rows().size())
        + " rows read, "
        + Words.count(set.rejected().size())
        + " rejected, sha256 "
        + set.sha256();
  }
}
