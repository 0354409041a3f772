package dev.cotenant.predictor.forest;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads the payload of format version 1. No count is trusted: nothing is allocated for more than
 * the bytes that are left could hold.
 */
final class PayloadReader {
  private static final int BYTES_PER_NODE = 5;
  private static final int BYTES_PER_RANGE = 2 * Float.BYTES;
  private static final int MAX_TREES = 10_000;

  /** The payload was written for features that this release does not know. */
  static final class NewerSchemaException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final int version;

    NewerSchemaException(int version) {
      super("feature schema " + version);
      this.version = version;
    }

    int version() {
      return version;
    }
  }

  private final ByteBuffer in;

  PayloadReader(ByteBuffer in) {
    this.in = in;
  }

  PredictorModel read() {
    Provenance provenance = readProvenance();
    MemorySize contextMemory = MemorySize.ofBytes(in.getLong());
    TrainingRanges ranges = readRanges(provenance.devices());
    TargetModel utilization = readTarget(Target.UTILIZATION, provenance.coverage());
    TargetModel memory = readTarget(Target.PEAK_MEMORY, provenance.coverage());
    return new PredictorModel(utilization, memory, ranges, contextMemory, provenance);
  }

  private Provenance readProvenance() {
    int schema = in.getInt();
    if (schema != Feature.SCHEMA_VERSION) {
      throw new NewerSchemaException(schema);
    }
    return new Provenance(
        readDataSets(),
        readTexts().stream().map(DeviceId::new).toList(),
        readTexts(),
        in.getLong(),
        readTexts(),
        Coverage.of(in.getDouble()),
        Instant.parse(readText()));
  }

  private List<Provenance.DataSet> readDataSets() {
    int count = readCount(Integer.BYTES);
    List<Provenance.DataSet> sets = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      sets.add(
          new Provenance.DataSet(readText(), readText(), in.getInt(), in.getInt(), in.getInt()));
    }
    return sets;
  }

  private TrainingRanges readRanges(List<DeviceId> devices) {
    int count = in.getInt();
    if (count != Feature.count()) {
      throw new IllegalArgumentException("its hulls have " + count + " ranges");
    }
    if ((long) devices.size() * count * BYTES_PER_RANGE > in.remaining()) {
      throw new BufferUnderflowException();
    }
    SortedMap<DeviceId, Hull> hulls = new TreeMap<>();
    for (DeviceId device : devices) {
      hulls.put(device, readHull());
    }
    return new TrainingRanges(hulls);
  }

  private Hull readHull() {
    float[] lowest = new float[Feature.count()];
    float[] highest = new float[Feature.count()];
    for (int i = 0; i < lowest.length; i++) {
      lowest[i] = in.getFloat();
      highest[i] = in.getFloat();
    }
    return new Hull(lowest, highest);
  }

  private TargetModel readTarget(Target target, Coverage aimedAt) {
    ResidualQuantiles familiar = readQuantiles();
    ResidualQuantiles novel = readQuantiles();
    BoundCoverage coverage = new BoundCoverage(aimedAt, readCoverage(), readCoverage());
    return new TargetModel(target, readForest(), familiar, novel, coverage);
  }

  /** Not a number where it was not measured. */
  private @Nullable Coverage readCoverage() {
    double fraction = in.getDouble();
    return Double.isNaN(fraction) ? null : Coverage.of(fraction);
  }

  private ResidualQuantiles readQuantiles() {
    return new ResidualQuantiles(in.getDouble(), in.getDouble());
  }

  private Forest readForest() {
    int trees = in.getInt();
    if (trees < 1 || trees > MAX_TREES) {
      throw new IllegalArgumentException("it claims " + trees + " trees");
    }
    byte[] splitFeature = new byte[readCount(BYTES_PER_NODE)];
    float[] thresholdOrLeaf = new float[splitFeature.length];
    in.get(splitFeature);
    for (int node = 0; node < thresholdOrLeaf.length; node++) {
      thresholdOrLeaf[node] = in.getFloat();
    }
    return Forest.ofPreorder(trees, splitFeature, thresholdOrLeaf);
  }

  private List<String> readTexts() {
    int count = readCount(Integer.BYTES);
    List<String> texts = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      texts.add(readText());
    }
    return texts;
  }

  private String readText() {
    byte[] utf8 = new byte[readCount(1)];
    in.get(utf8);
    return new String(utf8, StandardCharsets.UTF_8);
  }

  /** A count of things of at least so many bytes each, all of which must still follow. */
  private int readCount(int bytesEach) {
    int count = in.getInt();
    if (count < 0 || (long) count * bytesEach > in.remaining()) {
      throw new BufferUnderflowException();
    }
    return count;
  }
}
