package dev.cotenant.datasets.collector;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.profile.Licence;
import dev.cotenant.domain.profile.Measurement;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.profile.ProfileSource;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;

/**
 * Reads a folder that {@code datasets/collector/collect.py solo} has written: {@code solo.csv} and
 * the graphs that it names.
 *
 * <p>A row becomes a profile when the run ended well in a closed loop and its graph is there with
 * all shapes known. Utilization is the window's mean, weighted with time; peak memory is the
 * device's, context included. Runs that ended otherwise (out of memory, an error) and runs with
 * Poisson arrivals are listed with file, line and reason. Not read: step times and latencies,
 * kernels, quantiles, power, clocks, memory utilization and the allocator's figures; predictors do
 * not learn from them. Files of pairs, profiles and memory series are other formats.
 */
public final class CollectorSource implements ProfileSource {
  private static final String FORMAT = "collector";
  private static final String TABLE = "solo.csv";

  private final Path directory;
  private final Path table;

  /**
   * @param directory the folder that the collector wrote
   */
  public CollectorSource(Path directory) {
    this.directory = directory;
    this.table = directory.resolve(TABLE);
  }

  @Override
  public String format() {
    return FORMAT;
  }

  @Override
  public Result read() {
    byte[] bytes = bytes();
    CollectedGraphs graphs = new CollectedGraphs(directory);
    List<ProfileRow> rows = new ArrayList<>();
    List<String> rejected = new ArrayList<>();
    try (CSVParser parser = CSVParser.parse(new StringReader(text(bytes)), CSVFormat.RFC4180)) {
      Iterator<CSVRecord> records = parser.iterator();
      Map<String, Integer> positions = positions(records);
      while (records.hasNext()) {
        CollectedRun run = new CollectedRun(positions, records.next());
        long line = parser.getCurrentLineNumber();
        try {
          rows.add(profile(run, graphs, line));
        } catch (UnusableRunException e) {
          rejected.add(table + ":" + line + ": " + e.getMessage());
        }
      }
    } catch (IOException e) {
      throw notCsv(e);
    } catch (UncheckedIOException e) {
      throw notCsv(e);
    }
    return new Result(rows, rejected, hash(bytes, graphs));
  }

  private Map<String, Integer> positions(Iterator<CSVRecord> records) {
    Map<String, Integer> positions = new HashMap<>();
    List<String> header = records.hasNext() ? records.next().toList() : List.of();
    for (int i = 0; i < header.size(); i++) {
      positions.putIfAbsent(header.get(i), i);
    }
    List<String> missing =
        CollectedRun.COLUMNS.stream().filter(name -> !positions.containsKey(name)).toList();
    if (!missing.isEmpty()) {
      throw InputException.malformed(
          "profile-columns",
          table
              + ":1: not a table of solo runs, these columns are missing: "
              + String.join(", ", missing)
              + ".");
    }
    return positions;
  }

  private ProfileRow profile(CollectedRun run, CollectedGraphs graphs, long line) {
    run.requireComparable();
    return new ProfileRow(
        FORMAT + "/" + run.session() + ":" + line,
        run.family(),
        run.model(),
        graphs.features(run.graph(), run.batch()),
        run.settings(),
        run.device(),
        Measurement.NONE.withUtilization(run.utilization()).withPeakMemory(run.peakMemory()),
        Licence.OWN,
        ProfileRow.Quality.CLEAN);
  }

  private byte[] bytes() {
    try {
      return Files.readAllBytes(table);
    } catch (NoSuchFileException e) {
      throw new InputException(
          InputException.Kind.NOT_FOUND,
          "profiles-not-found",
          table + " does not exist: name a folder that 'collect.py solo' has written.",
          e);
    } catch (IOException e) {
      throw new InputException(
          InputException.Kind.MALFORMED,
          "profiles-unreadable",
          table + " cannot be read: name a folder that 'collect.py solo' has written.",
          e);
    }
  }

  private String text(byte[] bytes) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw notCsv(e);
    }
  }

  private InputException notCsv(Exception cause) {
    return new InputException(
        InputException.Kind.MALFORMED,
        "profiles-unreadable",
        table + " is not CSV in UTF-8: " + cause.getMessage(),
        cause);
  }

  /** The hash of the table and of every graph that was read. */
  private static String hash(byte[] table, CollectedGraphs graphs) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(table);
      graphs.addTo(digest);
      return HexFormat.of().formatHex(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
