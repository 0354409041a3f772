package dev.cotenant.predictor.forest;

import dev.cotenant.domain.quantity.Coverage;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes model files: {@link ModelFileFormat} around a payload. */
public final class ModelFileWriter {
  private ModelFileWriter() {}

  /** The whole file; the same model gives the same bytes. */
  public static byte[] toBytes(PredictorModel model) {
    return framed(ModelFileFormat.FORESTS, out -> writePayload(out, model));
  }

  /** A file of layers: what a writer puts behind what all versions have in common. */
  public static byte[] layersToBytes(Payload payload) {
    return framed(ModelFileFormat.RANKED_LAYERS, payload);
  }

  /** Writes the payload of a file. */
  @FunctionalInterface
  public interface Payload {
    void writeTo(DataOutputStream out) throws IOException;
  }

  private static byte[] framed(int version, Payload content) {
    try {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      content.writeTo(new DataOutputStream(bytes));
      byte[] payload = bytes.toByteArray();
      ByteArrayOutputStream file = new ByteArrayOutputStream();
      DataOutputStream out = new DataOutputStream(file);
      out.writeInt(ModelFileFormat.MAGIC);
      out.writeInt(version);
      out.writeInt(payload.length);
      out.write(payload);
      out.write(ModelFileFormat.sha256().digest(file.toByteArray()));
      if (ModelFileFormat.checksumBytes(version) > 0) {
        out.writeInt(ModelFileFormat.checksum(file.toByteArray(), file.size()));
      }
      return file.toByteArray();
    } catch (IOException e) {
      throw new UncheckedIOException(e); // memory does not fail
    }
  }

  private static void writePayload(DataOutputStream out, PredictorModel model) throws IOException {
    writeProvenance(out, model.provenance());
    writeText(out, model.provenance().trainedAt().toString());
    out.writeLong(model.contextMemory().bytes());
    writeRanges(out, model.ranges());
    writeTarget(out, model.utilization());
    writeTarget(out, model.memory());
  }

  /** Provenance and its instant, in numbers. */
  public static void writeLayersProvenance(DataOutputStream out, Provenance provenance)
      throws IOException {
    writeProvenance(out, provenance);
    Instant trainedAt = provenance.trainedAt();
    out.writeLong(trainedAt.getEpochSecond());
    out.writeInt(trainedAt.getNano());
  }

  /** Provenance but its instant as every version writes it. */
  private static void writeProvenance(DataOutputStream out, Provenance provenance)
      throws IOException {
    out.writeInt(Feature.SCHEMA_VERSION);
    out.writeInt(provenance.dataSets().size());
    for (Provenance.DataSet set : provenance.dataSets()) {
      writeText(out, set.format());
      writeText(out, set.sha256());
      out.writeInt(set.rowsRead());
      out.writeInt(set.rowsUsed());
      out.writeInt(set.rowsRejected());
    }
    writeTexts(out, provenance.devices().stream().map(id -> id.value()).toList());
    writeTexts(out, provenance.families());
    out.writeLong(provenance.seed());
    writeTexts(out, provenance.settings());
    out.writeDouble(provenance.coverage().fraction());
  }

  /** Ranges, in the order of the devices. */
  public static void writeRanges(DataOutputStream out, TrainingRanges ranges) throws IOException {
    out.writeInt(Feature.count());
    for (Hull hull : ranges.hulls()) {
      writeHull(out, hull);
    }
  }

  private static void writeHull(DataOutputStream out, Hull hull) throws IOException {
    for (int i = 0; i < Feature.count(); i++) {
      out.writeFloat(hull.lowest(i));
      out.writeFloat(hull.highest(i));
    }
  }

  private static void writeTarget(DataOutputStream out, TargetModel target) throws IOException {
    writeQuantiles(out, target.familiar());
    writeQuantiles(out, target.novel());
    writeCoverage(out, target.coverage());
    Forest forest = target.forest();
    out.writeInt(forest.trees());
    out.writeInt(forest.nodes());
    for (int node = 0; node < forest.nodes(); node++) {
      out.writeByte(forest.splitFeature(node));
    }
    for (int node = 0; node < forest.nodes(); node++) {
      out.writeFloat(forest.thresholdOrLeaf(node));
    }
  }

  /** What was measured; the coverage aimed at is in the provenance. */
  public static void writeCoverage(DataOutputStream out, BoundCoverage coverage)
      throws IOException {
    writeCoverage(out, coverage.unseenModel());
    writeCoverage(out, coverage.unseenDevice());
  }

  private static void writeCoverage(DataOutputStream out, @Nullable Coverage measured)
      throws IOException {
    out.writeDouble(measured == null ? Double.NaN : measured.fraction());
  }

  public static void writeQuantiles(DataOutputStream out, ResidualQuantiles quantiles)
      throws IOException {
    out.writeDouble(quantiles.lower());
    out.writeDouble(quantiles.upper());
  }

  private static void writeTexts(DataOutputStream out, List<String> texts) throws IOException {
    out.writeInt(texts.size());
    for (String text : texts) {
      writeText(out, text);
    }
  }

  private static void writeText(DataOutputStream out, String text) throws IOException {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    out.writeInt(utf8.length);
    out.write(utf8);
  }
}
