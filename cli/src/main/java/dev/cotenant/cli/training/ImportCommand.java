package dev.cotenant.cli.training;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Words;
import dev.cotenant.datasets.named.LicenceScope;
import dev.cotenant.domain.colocation.ColocationRows;
import dev.cotenant.domain.forecast.SeriesSource;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.profile.ProfileSource;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What can be read of files of measured runs. */
@Command(
    name = "import",
    mixinStandardHelpOptions = true,
    description =
        "Reads files of measured runs or series: how many rows, which not and why, and the hash.")
final class ImportCommand implements Runnable {
  private final Console console;

  @Parameters(
      index = "0",
      paramLabel = "FORMAT",
      description =
          "collector, gpumemnet or named-models; igniter-config, igniter-solo, igniter-pairs, glet,"
              + " lucid-pairs or gavel-pairs; alibaba-genai or spread-series.")
  private String format = "";

  @Parameters(
      index = "1..*",
      arity = "1..*",
      paramLabel = "PATH",
      description = "The files; for collector, folders.")
  private List<Path> files = List.of();

  @Option(names = "--json", description = "One JSON object a file and nothing else.")
  private boolean json;

  ImportCommand(Console console) {
    this.console = console;
  }

  /** What was read of one file. */
  record ImportView(
      @JsonProperty("path") String path,
      @JsonProperty("format") String format,
      @JsonProperty("rows") int rows,
      @JsonProperty("rejected") List<String> rejected,
      @JsonProperty("sha256") String sha256) {}

  @Override
  public void run() {
    if (SeriesSets.FORMATS.contains(format)) {
      files.forEach(this::importSeries);
      return;
    }
    if (ColocationSets.FORMATS.contains(format)) {
      files.forEach(this::importColocations);
      return;
    }
    ProfileSets sets = new ProfileSets(LicenceScope.ANY);
    for (Path file : files) {
      ProfileSource.Result read = sets.of(format, file).read();
      if (json) {
        console.json(
            new ImportView(
                file.toString(), format, read.rows().size(), read.rejected(), read.sha256()));
      } else {
        print(file, read);
      }
    }
  }

  private void importSeries(Path file) {
    SeriesSource.Result read = SeriesSets.of(format, file).read();
    if (json) {
      console.json(
          new ImportView(
              file.toString(), format, read.devices().size(), read.rejected(), read.sha256()));
    } else {
      console.line(file + " (" + format + "): " + SeriesSets.describe(read));
      read.rejected().forEach(line -> console.line("  " + line));
    }
  }

  /** What was read of one set of colocations. */
  record ColocationView(
      @JsonProperty("path") String path,
      @JsonProperty("format") String format,
      @JsonProperty("rows") int rows,
      @JsonProperty("rejected") List<String> rejected) {}

  private void importColocations(Path path) {
    ColocationRows read = ColocationSets.of(format, path).read();
    if (json) {
      console.json(new ColocationView(path.toString(), format, read.size(), read.rejected()));
      return;
    }
    console.line(path + " (" + format + ")");
    console.line("  rows read      " + Words.count(read.size()));
    console.line("  rows rejected  " + Words.count(read.rejected().size()));
    read.rejected().forEach(line -> console.line("    " + line));
  }

  private void print(Path file, ProfileSource.Result read) {
    console.line(file + " (" + format + ")");
    console.line("  rows read      " + Words.count(read.rows().size()));
    console.line("  by family      " + counts(read.rows(), ProfileRow::family));
    console.line("  by device      " + counts(read.rows(), row -> row.device().value()));
    console.line("  by quality     " + counts(read.rows(), row -> words(row.quality())));
    console.line("  rows rejected  " + Words.count(read.rejected().size()));
    read.rejected().forEach(line -> console.line("    " + line));
    console.line("  sha256         " + read.sha256());
  }

  private static String words(ProfileRow.Quality quality) {
    return switch (quality) {
      case CLEAN -> "clean";
      case SUSPECTED_CRASH -> "suspected crash";
    };
  }

  private static String counts(List<ProfileRow> rows, Function<ProfileRow, String> group) {
    Map<String, Long> counts =
        rows.stream().collect(Collectors.groupingBy(group, TreeMap::new, Collectors.counting()));
    return counts.entrySet().stream()
        .map(entry -> entry.getKey() + " " + Words.count(entry.getValue()))
        .collect(Collectors.joining(", "));
  }
}
