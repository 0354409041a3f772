package dev.cotenant.cli.training;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Words;
import dev.cotenant.datasets.Importers;
import dev.cotenant.datasets.collector.CollectorPairsSource;
import dev.cotenant.datasets.collector.CollectorSeriesSource;
import dev.cotenant.datasets.collector.CollectorSource;
import dev.cotenant.datasets.colocation.ColocationFile;
import dev.cotenant.datasets.file.DataFile;
import dev.cotenant.datasets.manifest.KnownSet;
import dev.cotenant.datasets.named.LicenceScope;
import dev.cotenant.domain.colocation.ColocationRows;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.forecast.SeriesSource;
import dev.cotenant.domain.profile.ProfileSource;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What can be read of files of measured runs. */
@Command(
    name = "import",
    mixinStandardHelpOptions = true,
    resourceBundle = FormatTexts.NAME,
    description =
        "Reads files of measured runs or series: number of rows, rejected rows with reasons, and"
            + " the hash.",
    footer = {"", "'datasets list' names the sources of published files."})
final class ImportCommand implements Runnable {
  private final Console console;
  private final Supplier<DeviceCatalogue> devices;

  @Parameters(
      index = "0",
      paramLabel = "FORMAT",
      description = {
        "Runs: ${bundle:formats.runs}.",
        "Colocations: ${bundle:formats.colocations}.",
        "Series: ${bundle:formats.series}.",
        "collector reads a folder of the collector: runs, pairs and series."
      })
  private String format = "";

  @Parameters(
      index = "1..*",
      arity = "1..*",
      paramLabel = "PATH",
      description = "The files, or the folders that hold them.")
  private List<Path> files = List.of();

  @Option(names = "--json", description = "JSON output, one object per file.")
  private boolean json;

  ImportCommand(Console console, Supplier<DeviceCatalogue> devices) {
    this.console = console;
    this.devices = devices;
  }

  /** Result of reading a file; {@code publishedAs} is null for an unpublished file. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record ImportView(
      @JsonProperty("path") String path,
      @JsonProperty("format") String format,
      @JsonProperty("rows") int rows,
      @JsonProperty("rejected") List<String> rejected,
      @JsonProperty("sha256") String sha256,
      @JsonProperty("published_as") @Nullable String publishedAs) {}

  /** Counts, notes and rejected rows of a read file. */
  private record Reading(
      int rows, Map<String, String> notes, List<String> rejected, String sha256) {}

  @Override
  public void run() {
    for (Path file : files) {
      for (String part : parts(file)) {
        show(file, part, read(part, file));
      }
    }
  }

  /** A folder of the collector's holds up to three kinds of rows; without any, runs are missing. */
  private List<String> parts(Path file) {
    if (!format.equals(CollectorSource.FORMAT)) {
      return List.of(format);
    }
    Map<String, String> tables = new LinkedHashMap<>();
    tables.put(CollectorSource.FORMAT, CollectorSource.TABLE);
    tables.put(CollectorPairsSource.FORMAT, CollectorPairsSource.TABLE);
    tables.put(CollectorSeriesSource.FORMAT, CollectorSeriesSource.TABLE);
    List<String> parts =
        tables.keySet().stream()
            .filter(part -> Files.exists(file.resolve(tables.get(part))))
            .toList();
    return parts.isEmpty() ? List.of(CollectorSource.FORMAT) : parts;
  }

  private Reading read(String format, Path file) {
    String set = format + ":" + file;
    if (Importers.SERIES.reads(set)) {
      return reading(Importers.SERIES.open(set).read());
    }
    if (Importers.COLOCATIONS.reads(set)) {
      return reading(Importers.COLOCATIONS.open(set));
    }
    if (Importers.RUNS.reads(set) || format.equals(ProfileCsv.FORMAT)) {
      return reading(DataSets.open(set, LicenceScope.ANY, devices.get()).read());
    }
    List<String> formats = new ArrayList<>(Importers.RUNS.formats());
    formats.add(ProfileCsv.FORMAT);
    formats.addAll(Importers.COLOCATIONS.formats());
    formats.addAll(Importers.SERIES.formats());
    throw Importers.unknown(format, formats);
  }

  private static Reading reading(ProfileSource.Result read) {
    return new Reading(
        read.rows().size(), ProfileNotes.of(read.rows()), read.rejected(), read.sha256());
  }

  private static Reading reading(SeriesSource.Result read) {
    return new Reading(
        read.devices().size(),
        Map.of("samples", Words.count(DataSets.samples(read))),
        read.rejected(),
        read.sha256());
  }

  private static Reading reading(ColocationFile source) {
    ColocationRows read = source.read();
    return new Reading(
        read.size(), Map.of(), read.rejected(), DataFile.sha256(List.of(source.files().getLast())));
  }

  private void show(Path file, String part, Reading read) {
    @Nullable String published = KnownSet.of(read.sha256()).map(ImportCommand::words).orElse(null);
    if (json) {
      console.json(
          new ImportView(
              file.toString(), part, read.rows(), read.rejected(), read.sha256(), published));
      return;
    }
    Map<String, String> lines = new LinkedHashMap<>();
    lines.put("rows read", Words.count(read.rows()));
    lines.putAll(read.notes());
    lines.put("rows rejected", Words.count(read.rejected().size()));
    console.line(file + " (" + part + ")");
    lines.forEach(this::line);
    Rejections.of(read.rejected()).forEach(line -> console.line("    " + line));
    line("sha256", read.sha256());
    line("published as", published == null ? "not known" : published);
  }

  private static String words(KnownSet set) {
    return set.format() + " " + set.file() + ", licence " + set.licence();
  }

  private void line(String name, String value) {
    console.line("  " + name + " ".repeat(Math.max(1, 15 - name.length())) + value);
  }
}
