package dev.cotenant.forecast.trees;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.forecast.history.HistoryFeatures;
import dev.cotenant.learning.file.FileFormat;
import dev.cotenant.learning.file.FileFormatException;
import dev.cotenant.learning.file.PayloadReader;
import dev.cotenant.learning.file.PayloadWriter;
import dev.cotenant.learning.trees.BoostedTrees;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/**
 * The file of a {@link PeakModel}: names of the features, provenance, the model's numbers and its
 * trees. A file of other features is refused.
 */
public final class PeakModelFile {
  private static final FileFormat FORMAT = new FileFormat("COTM", 1, 32 << 20);
  private static final int LABEL_DIGITS = 12;
  private static final String RESOURCE = "peak-forecast.model";

  private PeakModelFile() {}

  /** The model that the project ships. */
  public static PeakModel shipped() {
    return read(shippedBytes(), RESOURCE);
  }

  /** Its file. */
  public static byte[] shippedBytes() {
    try (InputStream in =
        Objects.requireNonNull(PeakModelFile.class.getResourceAsStream(RESOURCE), RESOURCE)) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Whether bytes begin like such a file, of whatever version. */
  public static boolean isOne(byte[] bytes) {
    return FORMAT.claims(bytes);
  }

  /** Label of the model in a file: {@code peak-forecast-} and 12 digits of its digest. */
  public static String label(byte[] bytes) {
    return "peak-forecast-" + FileFormat.nameOf(bytes).substring(0, LABEL_DIGITS);
  }

  /**
   * The model in a file's bytes.
   *
   * @param name names the file in errors
   * @throws InputException {@code forecast-model-unreadable}
   */
  public static PeakModel read(byte[] bytes, String name) {
    try {
      return FORMAT.read(bytes, PeakModelFile::read);
    } catch (FileFormatException e) {
      throw unreadable(name, e.getMessage() + ".", e);
    }
  }

  private static PeakModel read(PayloadReader in) {
    if (!in.readTexts().equals(HistoryFeatures.NAMES)) {
      throw new IllegalArgumentException("it learned from other features");
    }
    PeakModel.Provenance provenance =
        new PeakModel.Provenance(
            in.readText(), in.readInt(), in.readInt(), in.readLong(), in.readText());
    Coverage coverage = Coverage.of(in.readFinite());
    double margin = in.readFinite();
    double restartFactor = in.readFinite();
    double startShare = in.readFinite();
    return new PeakModel(
        readTrees(in),
        readTrees(in),
        readTrees(in),
        margin,
        restartFactor,
        startShare,
        coverage,
        provenance);
  }

  private static BoostedTrees readTrees(PayloadReader in) {
    return BoostedTrees.readFrom(in, HistoryFeatures.NAMES.size());
  }

  /** Writes a model; the same model gives the same bytes. */
  public static void write(PeakModel model, Path file) {
    try {
      Files.write(file, FORMAT.write(out -> write(out, model)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void write(PayloadWriter out, PeakModel model) throws IOException {
    out.writeTexts(HistoryFeatures.NAMES);
    PeakModel.Provenance provenance = model.provenance();
    out.writeText(provenance.data());
    out.writeInt(provenance.series());
    out.writeInt(provenance.windows());
    out.writeLong(provenance.seed());
    out.writeText(provenance.settings());
    out.writeDoubles(
        model.coverage().fraction(), model.margin(), model.restartFactor(), model.startShare());
    model.next().writeTo(out);
    model.peak().writeTo(out);
    model.bound().writeTo(out);
  }

  private static InputException unreadable(String name, String what, Exception cause) {
    return new InputException(
        InputException.Kind.MALFORMED, "forecast-model-unreadable", name + " " + what, cause);
  }
}
