package dev.cotenant.forecast.trees;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.forecast.history.HistoryFeatures;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Objects;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/**
 * The file of a {@link PeakModel}: a line with format and version, the sha256 of the rest, then
 * gzipped big-endian numbers. What does not fit this version of the features is refused.
 */
public final class PeakModelFile {
  private static final String MAGIC = "cotenant-peak-forecast";
  private static final int VERSION = 2;
  private static final int DIGEST_BYTES = 32;
  private static final int MOST_NODES = 1 << 22;
  private static final int MOST_BYTES = 32 << 20;
  private static final String RESOURCE = "peak-forecast.model";

  private PeakModelFile() {}

  /** The model that the project ships. */
  public static PeakModel shipped() {
    try (InputStream in =
        Objects.requireNonNull(PeakModelFile.class.getResourceAsStream(RESOURCE), RESOURCE)) {
      return read(in, RESOURCE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Reads a file.
   *
   * @throws InputException {@code forecast-model-not-found}, {@code forecast-model-unreadable}
   */
  public static PeakModel read(Path file) {
    try (InputStream in = new BufferedInputStream(Files.newInputStream(file))) {
      return read(in, file.toString());
    } catch (NoSuchFileException e) {
      throw new InputException(
          InputException.Kind.NOT_FOUND,
          "forecast-model-not-found",
          file + " does not exist: make one with ./cotenant train forecast.",
          e);
    } catch (IOException e) {
      throw unreadable(file.toString(), "cannot be read: " + e.getMessage(), e);
    }
  }

  private static PeakModel read(InputStream in, String name) throws IOException {
    DataInputStream head = new DataInputStream(in);
    try {
      require(head.readUTF().equals(MAGIC), name, "is no forecast model");
      require(head.readInt() == VERSION, name, "has another format version, train it anew");
      byte[] digest = head.readNBytes(DIGEST_BYTES);
      byte[] packed = head.readNBytes(MOST_BYTES);
      require(MessageDigest.isEqual(digest, sha256(packed)), name, "is damaged: wrong checksum");
      try (DataInputStream body =
          new DataInputStream(
              new BufferedInputStream(new GZIPInputStream(new ByteArrayInputStream(packed))))) {
        return readBody(body, name);
      }
    } catch (IOException e) {
      throw unreadable(name, "is no forecast model: " + e.getMessage(), e);
    }
  }

  private static PeakModel readBody(DataInputStream in, String name) throws IOException {
    require(
        in.readUTF().equals(String.join(",", HistoryFeatures.NAMES)),
        name,
        "was trained on other features, train it anew");
    PeakModel.Provenance provenance =
        new PeakModel.Provenance(
            in.readUTF(), in.readInt(), in.readInt(), in.readLong(), in.readUTF());
    double coverage = in.readDouble();
    double margin = in.readDouble();
    double restartFactor = in.readDouble();
    double startShare = in.readDouble();
    QuantileTrees next = readTrees(in, name);
    QuantileTrees peak = readTrees(in, name);
    QuantileTrees bound = readTrees(in, name);
    return new PeakModel(
        next, peak, bound, margin, restartFactor, startShare, Coverage.of(coverage), provenance);
  }

  private static QuantileTrees readTrees(DataInputStream in, String name) throws IOException {
    float base = in.readFloat();
    int trees = in.readInt();
    int size = in.readInt();
    require(trees >= 0 && trees <= size && size <= MOST_NODES, name, "states impossible sizes");
    int[] roots = new int[trees];
    for (int i = 0; i < trees; i++) {
      roots[i] = in.readInt();
      require(roots[i] >= 0 && roots[i] < size, name, "has a root outside its nodes");
    }
    byte[] feature = in.readNBytes(size);
    require(feature.length == size, name, "ends early");
    float[] number = new float[size];
    int[] right = new int[size];
    for (int i = 0; i < size; i++) {
      number[i] = in.readFloat();
      int step = in.readUnsignedShort(); // children come after their parents: no path is endless
      right[i] = step == 0 ? 0 : i + step;
      require(right[i] < size && (step == 0 || i + 1 < size), name, "has a child outside");
      require(feature[i] >= 0 && feature[i] < HistoryFeatures.NAMES.size(), name, "bad feature");
    }
    return new QuantileTrees(base, roots, new QuantileTrees.Nodes(feature, number, right));
  }

  /** Writes a model; the same model gives the same bytes. */
  public static void write(PeakModel model, Path file) {
    try (DataOutputStream out = new DataOutputStream(Files.newOutputStream(file))) {
      byte[] packed = pack(model);
      out.writeUTF(MAGIC);
      out.writeInt(VERSION);
      out.write(sha256(packed));
      out.write(packed);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static byte[] pack(PeakModel model) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(new GZIPOutputStream(bytes))) {
      out.writeUTF(String.join(",", HistoryFeatures.NAMES));
      PeakModel.Provenance provenance = model.provenance();
      out.writeUTF(provenance.data());
      out.writeInt(provenance.series());
      out.writeInt(provenance.windows());
      out.writeLong(provenance.seed());
      out.writeUTF(provenance.settings());
      out.writeDouble(model.coverage().fraction());
      out.writeDouble(model.margin());
      out.writeDouble(model.restartFactor());
      out.writeDouble(model.startShare());
      writeTrees(model.next(), out);
      writeTrees(model.peak(), out);
      writeTrees(model.bound(), out);
    }
    return bytes.toByteArray();
  }

  private static void writeTrees(QuantileTrees trees, DataOutputStream out) throws IOException {
    QuantileTrees.Nodes nodes = trees.nodes();
    int[] roots = trees.roots();
    out.writeFloat(trees.base());
    out.writeInt(roots.length);
    out.writeInt(nodes.feature().length);
    for (int root : roots) {
      out.writeInt(root);
    }
    out.write(nodes.feature());
    for (int i = 0; i < nodes.number().length; i++) {
      out.writeFloat(nodes.number()[i]);
      out.writeShort(nodes.right()[i] == 0 ? 0 : nodes.right()[i] - i);
    }
  }

  private static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  private static void require(boolean holds, String name, String otherwise) {
    if (!holds) {
      throw InputException.malformed("forecast-model-unreadable", name + " " + otherwise + ".");
    }
  }

  private static InputException unreadable(String name, String what, IOException cause) {
    return new InputException(
        InputException.Kind.MALFORMED, "forecast-model-unreadable", name + " " + what, cause);
  }
}
