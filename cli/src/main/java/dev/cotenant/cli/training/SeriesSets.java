package dev.cotenant.cli.training;

import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Words;
import dev.cotenant.datasets.collector.CollectorSeriesSource;
import dev.cotenant.datasets.series.AlibabaGenAiSource;
import dev.cotenant.datasets.series.SpreadSeriesSource;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.forecast.SeriesSource;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Sets of recorded used-memory series that users name as {@code FORMAT:PATH}. */
final class SeriesSets {
  static final List<String> FORMATS =
      List.of(AlibabaGenAiSource.FORMAT, SpreadSeriesSource.FORMAT, CollectorSeriesSource.FORMAT);

  /** Names under a folder of published sets. */
  private static final Map<String, String> PLACES =
      Map.of(
          AlibabaGenAiSource.FORMAT, "alibaba/genai-v2026",
          SpreadSeriesSource.FORMAT, "spread");

  private SeriesSets() {}

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

  /**
   * A file in a format.
   *
   * @throws InputException ({@code unknown-format})
   */
  static SeriesSource of(String format, Path path) {
    return switch (format) {
      case AlibabaGenAiSource.FORMAT -> new AlibabaGenAiSource(path);
      case SpreadSeriesSource.FORMAT -> new SpreadSeriesSource(path);
      case CollectorSeriesSource.FORMAT -> new CollectorSeriesSource(path);
      default ->
          throw InputException.invalidArgument(
              "unknown-format",
              "'" + format + "' holds no series: use one of " + String.join(", ", FORMATS) + ".");
    };
  }

  /** Reads every {@code FORMAT:PATH}, at least one, and notes how much there was. */
  static List<SeriesSource.Result> read(List<String> data, Console console) {
    if (data.isEmpty()) {
      throw InputException.invalidArgument(
          "no-data",
          "name at least one set of series with --data FORMAT:PATH ("
              + String.join(", ", FORMATS)
              + ") or the folder of all with "
              + PublishedData.VARIABLE
              + ".");
    }
    return data.stream().map(name -> read(name, console)).toList();
  }

  private static SeriesSource.Result read(String name, Console console) {
    int colon = name.indexOf(':');
    if (colon < 0) {
      throw InputException.invalidArgument(
          "bad-data-set", "'" + name + "' is not FORMAT:PATH, such as alibaba-genai:FILE.");
    }
    SeriesSource.Result read =
        of(name.substring(0, colon), Path.of(name.substring(colon + 1))).read();
    console.note(name + ": " + describe(read));
    return read;
  }

  static String describe(SeriesSource.Result read) {
    int samples = read.devices().stream().mapToInt(d -> d.series().samples().size()).sum();
    return Words.count(read.devices().size())
        + " series of "
        + Words.count(samples)
        + " samples, "
        + Words.count(read.rejected().size())
        + " rejected, sha256 "
        + read.sha256();
  }
}
