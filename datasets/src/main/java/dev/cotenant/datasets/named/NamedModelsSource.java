package dev.cotenant.datasets.named;

import dev.cotenant.datasets.zoo.ModelZoo;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.profile.Measurement;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.profile.ProfileSource;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.features.FeatureExtractor;
import dev.cotenant.features.GraphBinding;
import dev.cotenant.features.OnnxGraphReader;
import dev.cotenant.features.ReaderLimits;
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
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;

/**
 * Reads a table of well-known models: a CSV of who measured what on which GPU, without graphs.
 *
 * <p>A row becomes a profile when it is a training run whose utilization is the mean that
 * nvidia-smi reports, when its source may be used for the purpose, and when its name says which
 * network at which input size ran, so that the zoo can supply the graph. Every other row is listed
 * with file, line and reason.
 */
public final class NamedModelsSource implements ProfileSource {
  private static final String FORMAT = "named-models";

  private final Path file;
  private final LicenceScope scope;
  private final OnnxGraphReader reader = new OnnxGraphReader(ReaderLimits.DEFAULT);
  private final FeatureExtractor extractor = new FeatureExtractor();

  /**
   * @param file the table
   * @param scope what the rows are wanted for
   */
  public NamedModelsSource(Path file, LicenceScope scope) {
    this.file = file;
    this.scope = scope;
  }

  @Override
  public String format() {
    return FORMAT;
  }

  @Override
  public Result read() {
    byte[] bytes = bytes();
    List<ProfileRow> rows = new ArrayList<>();
    List<String> rejected = new ArrayList<>();
    try (CSVParser parser = CSVParser.parse(new StringReader(text(bytes)), CSVFormat.RFC4180)) {
      Iterator<CSVRecord> records = parser.iterator();
      requireHeader(records);
      while (records.hasNext()) {
        CSVRecord cells = records.next();
        long line = parser.getCurrentLineNumber();
        try {
          rows.add(profile(cells, line));
        } catch (UnusableRunException e) {
          rejected.add(file + ":" + line + ": " + e.getMessage());
        }
      }
    } catch (IOException e) {
      throw notCsv(e);
    } catch (UncheckedIOException e) {
      throw notCsv(e);
    }
    return new Result(rows, rejected, sha256(bytes));
  }

  private void requireHeader(Iterator<CSVRecord> records) {
    List<String> header = records.hasNext() ? records.next().toList() : List.of();
    if (!header.equals(NamedRun.COLUMNS)) {
      throw InputException.malformed(
          "profiles-wrong-columns",
          file + ":1: the columns must be " + String.join(",", NamedRun.COLUMNS) + ".");
    }
  }

  private ProfileRow profile(CSVRecord cells, long line) {
    if (cells.size() != NamedRun.COLUMNS.size()) {
      throw new UnusableRunException(
          "the row has " + cells.size() + " cells, not " + NamedRun.COLUMNS.size());
    }
    NamedRun run = new NamedRun(cells);
    run.requireComparable();
    scope
        .objectionTo(run.source(), run.licence())
        .ifPresent(objection -> {
          throw new UnusableRunException(objection);
        });
    return switch (NamedModel.of(run.label())) {
      case NamedModel.Unclear(String reason) -> throw new UnusableRunException(reason);
      case NamedModel.Known known -> profile(run, known, line);
    };
  }

  private ProfileRow profile(NamedRun run, NamedModel.Known model, long line) {
    return new ProfileRow(
        FORMAT + "/" + run.source() + ":" + line,
        model.family(),
        model.zooName(),
        features(model, run.batch()),
        new RunSettings(ExecutionMode.TRAINING, run.precision()),
        run.device(),
        Measurement.NONE.withUtilization(run.utilization()).withPeakMemory(run.peakMemory()),
        run.licence(),
        ProfileRow.Quality.CLEAN);
  }

  private ModelFeatures features(NamedModel.Known model, int batch) {
    byte[] onnx = ModelZoo.build(model.zooName(), model.input());
    GraphBinding binding = new GraphBinding(batch, Map.of());
    return extractor.extract(reader.read(onnx, model.zooName()), binding).model();
  }

  private byte[] bytes() {
    try {
      return Files.readAllBytes(file);
    } catch (NoSuchFileException e) {
      throw new InputException(
          InputException.Kind.NOT_FOUND,
          "profiles-not-found",
          file + " does not exist: name a table of named models.",
          e);
    } catch (IOException e) {
      throw new InputException(
          InputException.Kind.MALFORMED,
          "profiles-unreadable",
          file + " cannot be read: name a CSV file that is readable.",
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
        file + " is not CSV in UTF-8 (" + cause.getMessage() + "): name a table of named models.",
        cause);
  }

  private static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
