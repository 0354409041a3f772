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
 * Reads the payload of a model file. No count is trusted: nothing is allocated for more than the
 * bytes that are left could hold.
 */
public final class PayloadReader {
  private static final int BYTES_PER_NODE = 5;
  private static final int BYTES_PER_RANGE = 2 * Float.BYTES;
  private static final int MAX_TREES = 10_000;

  /** The payload was written for features that this release does not know. */
  public static final class NewerSchemaException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final int version;
    private final int known;

    /**
     * @param version of the file
     * @param known the newest that this release reads
     */
    public NewerSchemaException(int version, int known) {
      super("feature schema " + version);
      this.version = version;
      this.known = known;
    }

    int known() {
      return known;
    }

    int version() {
      return version;
    }
  }

  private final ByteBuffer in;
  private final int version;

  /**
   * @param version of the file's format
   */
  PayloadReader(ByteBuffer in, int version) {
    this.in = in;
    this.version = version;
  }

  /** Version of the file's format. */
  public int version() {
    return version;
  }

  PredictorModel read() {
    Provenance provenance = readProvenance();
    MemorySize contextMemory = MemorySize.ofBytes(in.getLong());
    TrainingRanges ranges = readRanges(provenance.devices());
    TargetModel utilization = readTarget(Target.UTILIZATION, provenance.coverage());
    TargetModel memory = readTarget(Target.PEAK_MEMORY, provenance.coverage());
    return new PredictorModel(utilization, memory, ranges, contextMemory, provenance);
  }

  public Provenance readProvenance() {
    int schema = in.getInt();
    if (schema != Feature.SCHEMA_VERSION) {
      throw new NewerSchemaException(schema, Feature.SCHEMA_VERSION);
    }
    return new Provenance(
        readDataSets(),
        readDevices(),
        readTexts(),
        in.getLong(),
        readTexts(),
        Coverage.of(in.getDouble()),
        readInstant());
  }

  private List<DeviceId> readDevices() {
    List<DeviceId> devices = new ArrayList<>();
    for (String text : readTexts()) {
      devices.add(new DeviceId(text));
    }
    return devices;
  }

  /** Up to the second version a text, which takes a new virtual machine 10 ms to understand. */
  private Instant readInstant() {
    return version < ModelFileFormat.RANKED_LAYERS
        ? Instant.parse(readText())
        : Instant.ofEpochSecond(in.getLong(), in.getInt());
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

  public TrainingRanges readRanges(List<DeviceId> devices) {
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
    BoundCoverage coverage = readCoverage(aimedAt);
    return new TargetModel(target, readForest(), familiar, novel, coverage);
  }

  /** What was measured beside the coverage aimed at. */
  public BoundCoverage readCoverage(Coverage aimedAt) {
    return new BoundCoverage(aimedAt, readCoverage(), readCoverage());
  }

  /** Not a number where it was not measured. */
  private @Nullable Coverage readCoverage() {
    double fraction = in.getDouble();
    return Double.isNaN(fraction) ? null : Coverage.of(fraction);
  }

  public ResidualQuantiles readQuantiles() {
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

  public int readInt() {
    return in.getInt();
  }

  public long readLong() {
    return in.getLong();
  }

  public double readDouble() {
    return in.getDouble();
  }

  /** So many numbers, all of which must still follow. */
  public float[] readFloats(int count) {
    float[] floats = new float[requireCount(count, Float.BYTES)];
    in.asFloatBuffer().get(floats);
    in.position(in.position() + count * Float.BYTES);
    return floats;
  }

  /** So many small numbers, all of which must still follow. */
  public short[] readShorts(int count) {
    short[] shorts = new short[requireCount(count, Short.BYTES)];
    in.asShortBuffer().get(shorts);
    in.position(in.position() + count * Short.BYTES);
    return shorts;
  }

  /** So many nodes of trees, all of which must still follow. */
  public char[] readChars(int count) {
    char[] chars = new char[requireCount(count, Character.BYTES)];
    in.asCharBuffer().get(chars);
    in.position(in.position() + count * Character.BYTES);
    return chars;
  }

  /** A count of things of at least so many bytes each, all of which must still follow. */
  private int readCount(int bytesEach) {
    return requireCount(in.getInt(), bytesEach);
  }

  private int requireCount(int count, int bytesEach) {
    if (count < 0 || (long) count * bytesEach > in.remaining()) {
      throw new BufferUnderflowException();
    }
    return count;
  }
}
