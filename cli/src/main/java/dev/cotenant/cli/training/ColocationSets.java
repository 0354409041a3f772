package dev.cotenant.cli.training;

import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Words;
import dev.cotenant.datasets.collector.CollectorPairsSource;
import dev.cotenant.datasets.colocation.ColocationFile;
import dev.cotenant.datasets.colocation.GavelPairsSource;
import dev.cotenant.datasets.colocation.GpuLetsSource;
import dev.cotenant.datasets.colocation.IgniterConfigSource;
import dev.cotenant.datasets.colocation.IgniterPairsSource;
import dev.cotenant.datasets.colocation.IgniterSoloSource;
import dev.cotenant.datasets.colocation.LucidPairsSource;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.colocation.ColocationRows;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Sets of measured colocations that users name as {@code FORMAT:PATH}. */
final class ColocationSets {
  static final List<String> FORMATS =
      List.of(
          "igniter-config",
          "igniter-solo",
          "igniter-pairs",
          "glet",
          "lucid-pairs",
          "gavel-pairs",
          CollectorPairsSource.FORMAT);

  /** Names under a folder of published sets. */
  private static final Map<String, String> PLACES =
      Map.of(
          "igniter-config", "igniter/config.jsonl",
          "igniter-solo", "igniter/v100_solo_latency.csv",
          "igniter-pairs", "igniter/v100_pair_latency.csv",
          "glet", "glet/2080ti",
          "lucid-pairs", "lucid",
          "gavel-pairs", "gavel/pair_throughput.csv");

  private ColocationSets() {}

  static boolean isColocation(String formatAndPath) {
    return FORMATS.stream().anyMatch(format -> formatAndPath.startsWith(format + ":"));
  }

  /** Every published set that lies in the folder, in the order of the formats. */
  static List<String> under(Path folder) {
    List<String> sets = new ArrayList<>();
    for (String format : FORMATS) {
      Path place = folder.resolve(PLACES.getOrDefault(format, format));
      if (Files.exists(place)) {
        sets.add(format + ":" + place);
      }
    }
    return sets;
  }

  /** Reads every set, in the order given, and notes how much there was. */
  static ColocationRows read(List<String> sets, Console console) {
    ColocationRows all = ColocationRows.EMPTY;
    for (String set : sets) {
      ColocationRows rows = source(set).read();
      console.note(
          set
              + ": "
              + Words.count(rows.size())
              + " rows read, "
              + Words.count(rows.rejected().size())
              + " rejected");
      all = all.plus(rows);
    }
    return all;
  }

  private static ColocationFile source(String formatAndPath) {
    int colon = formatAndPath.indexOf(':');
    String format = colon < 0 ? formatAndPath : formatAndPath.substring(0, colon);
    return of(format, Path.of(formatAndPath.substring(colon + 1)));
  }

  /**
   * A file or folder in a format.
   *
   * @throws InputException ({@code unknown-format})
   */
  static ColocationFile of(String format, Path path) {
    return switch (format) {
      case "igniter-config" -> new IgniterConfigSource(path);
      case "igniter-solo" -> new IgniterSoloSource(path);
      case "igniter-pairs" -> new IgniterPairsSource(path);
      case "glet" -> new GpuLetsSource(path);
      case "lucid-pairs" -> new LucidPairsSource(path);
      case "gavel-pairs" -> new GavelPairsSource(path);
      case CollectorPairsSource.FORMAT -> new CollectorPairsSource(path);
      default ->
          throw InputException.invalidArgument(
              "unknown-format",
              "Unknown format '" + format + "': use one of " + String.join(", ", FORMATS) + ".");
    };
  }
}
