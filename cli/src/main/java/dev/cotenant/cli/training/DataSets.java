package dev.cotenant.cli.training;

import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Words;
import dev.cotenant.datasets.Importers;
import dev.cotenant.datasets.colocation.ColocationFile;
import dev.cotenant.datasets.named.LicenceScope;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.colocation.ColocationRows;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.forecast.SeriesSource;
import dev.cotenant.domain.profile.ProfileSource;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;

/** Sets that users name as {@code FORMAT:PATH}, read in the order given with a note each. */
record DataSets(Console console) {
  /** The sets, at least one, or where none is named those of the folder of published sets. */
  static List<String> orPublished(List<String> sets, Importers<?> importers) {
    return sets.isEmpty()
        ? PublishedData.folder().map(importers::publishedIn).orElse(List.of())
        : sets;
  }

  /**
   * Reads measured runs; rows whose licence does not allow {@code scope} are rejected, and those of
   * a plain CSV on none of {@code devices}.
   *
   * @throws InputException ({@code no-data}, {@code bad-data-set}, {@code unknown-format})
   */
  List<ProfileSource.Result> runs(List<String> sets, LicenceScope scope, DeviceCatalogue devices) {
    requireSome(sets, Importers.RUNS);
    List<ProfileSource> sources = sets.stream().map(set -> open(set, scope, devices)).toList();
    return read(sets, sources, ProfileSource::read, DataSets::describe);
  }

  static ProfileSource open(String set, LicenceScope scope, DeviceCatalogue devices) {
    String prefix = ProfileCsv.FORMAT + ":";
    return set.startsWith(prefix)
        ? new ProfileCsv(Path.of(set.substring(prefix.length())), devices)
        : Importers.RUNS.open(set, scope);
  }

  /**
   * Reads measured colocations.
   *
   * @throws InputException ({@code no-data}, {@code bad-data-set}, {@code unknown-format})
   */
  ColocationRows colocations(List<String> sets) {
    requireSome(sets, Importers.COLOCATIONS);
    List<ColocationFile> files = sets.stream().map(Importers.COLOCATIONS::open).toList();
    return read(sets, files, ColocationFile::read, DataSets::describe).stream()
        .reduce(ColocationRows.EMPTY, ColocationRows::plus);
  }

  /**
   * Reads used-memory series.
   *
   * @throws InputException ({@code no-data}, {@code bad-data-set}, {@code unknown-format})
   */
  List<SeriesSource.Result> series(List<String> sets) {
    requireSome(sets, Importers.SERIES);
    List<SeriesSource> sources = sets.stream().map(Importers.SERIES::open).toList();
    return read(sets, sources, SeriesSource::read, DataSets::describe);
  }

  private static void requireSome(List<String> sets, Importers<?> importers) {
    if (sets.isEmpty()) {
      throw InputException.invalidArgument(
          "no-data",
          "name at least one set with --data FORMAT:PATH (formats: "
              + String.join(", ", importers.formats())
              + ") or the folder of all with "
              + PublishedData.VARIABLE
              + ".");
    }
  }

  private <S, R> List<R> read(
      List<String> sets, List<S> sources, Function<S, R> reading, Function<R, String> describing) {
    List<R> results = sources.stream().map(reading).toList();
    for (int i = 0; i < sets.size(); i++) {
      console.note(sets.get(i) + ": " + describing.apply(results.get(i)));
    }
    return results;
  }

  private static String describe(ProfileSource.Result read) {
    long inferred = read.rows().stream().filter(row -> !row.judgesMemory()).count();
    return rows(read.rows().size(), read.rejected().size())
        + (inferred == 0
            ? ""
            : ", "
                + Words.count(inferred)
                + " whose network follows from their memory do not score it")
        + ", sha256 "
        + read.sha256();
  }

  private static String describe(ColocationRows read) {
    return rows(read.size(), read.rejected().size());
  }

  private static String describe(SeriesSource.Result read) {
    return Words.count(read.devices().size())
        + " series of "
        + Words.count(samples(read))
        + " samples, "
        + Words.count(read.rejected().size())
        + " rejected, sha256 "
        + read.sha256();
  }

  static int samples(SeriesSource.Result read) {
    return read.devices().stream().mapToInt(d -> d.series().samples().size()).sum();
  }

  private static String rows(int read, int rejected) {
    return Words.count(read) + " rows read, " + Words.count(rejected) + " rejected";
  }
}
