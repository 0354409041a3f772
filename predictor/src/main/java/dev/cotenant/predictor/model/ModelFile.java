package dev.cotenant.predictor.model;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.learning.file.FileFormat;
import dev.cotenant.learning.file.FileFormatException;
import dev.cotenant.learning.file.PayloadReader;
import dev.cotenant.learning.file.PayloadWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

/** Predictor files: a {@link FileFormat} and the parts that say what a predictor learned from. */
public final class ModelFile {
  private static final FileFormat FORMAT = new FileFormat("COTP", 3, 64 << 20);

  private static final int NAME_DIGITS = 12;
  private static final int MIN_SET_BYTES = 5 * Integer.BYTES;

  private ModelFile() {}

  /** The whole file. */
  public static byte[] write(FileFormat.Content content) {
    return FORMAT.write(content);
  }

  /**
   * Reads a predictor file.
   *
   * @param bytes the whole file
   * @param name name of the file in messages
   * @throws InputException when it is no predictor file, damaged, too large or of another version
   */
  public static <T> T read(byte[] bytes, String name, Function<PayloadReader, T> content) {
    try {
      return FORMAT.read(bytes, content);
    } catch (FileFormatException e) {
      InputException refused =
          switch (e.problem()) {
            case OTHER_KIND ->
                InputException.malformed("not-a-predictor", name + " is not a predictor file.");
            case TOO_LARGE ->
                InputException.tooLarge("predictor-too-large", name + " " + e.getMessage() + ".");
            case OTHER_VERSION ->
                InputException.malformed("predictor-too-new", name + " " + e.getMessage() + ".");
            case DAMAGED ->
                InputException.malformed("predictor-damaged", name + " " + e.getMessage() + ".");
          };
      refused.initCause(e);
      throw refused;
    }
  }

  /**
   * Version of the predictor in a file: {@code hybrid-3-}, by the version of the format, and 12
   * digits of the file's SHA-256.
   */
  public static String versionOf(byte[] bytes) {
    return "hybrid-"
        .concat(Integer.toString(FORMAT.version()))
        .concat("-")
        .concat(FileFormat.nameOf(bytes).substring(0, NAME_DIGITS));
  }

  public static void write(PayloadWriter out, Provenance provenance) throws IOException {
    out.writeInt(provenance.dataSets().size());
    for (Provenance.DataSet set : provenance.dataSets()) {
      out.writeText(set.format());
      out.writeText(set.sha256());
      out.writeInt(set.rowsRead());
      out.writeInt(set.rowsUsed());
      out.writeInt(set.rowsRejected());
    }
    out.writeTexts(provenance.devices().stream().map(DeviceId::value).toList());
    out.writeTexts(provenance.families());
    out.writeLong(provenance.seed());
    out.writeTexts(provenance.settings());
    out.writeDouble(provenance.coverage().fraction());
  }

  public static Provenance readProvenance(PayloadReader in) {
    List<Provenance.DataSet> sets = new ArrayList<>();
    for (int left = in.readCount(MIN_SET_BYTES); left > 0; left--) {
      sets.add(readDataSet(in));
    }
    List<DeviceId> devices = new ArrayList<>();
    for (String device : in.readTexts()) {
      devices.add(new DeviceId(device));
    }
    return new Provenance(
        sets, devices, in.readTexts(), in.readLong(), in.readTexts(), Coverage.of(in.readDouble()));
  }

  private static Provenance.DataSet readDataSet(PayloadReader in) {
    return new Provenance.DataSet(
        in.readText(), in.readText(), in.readInt(), in.readInt(), in.readInt());
  }

  /** Ranges, in the order of the devices. */
  public static void write(PayloadWriter out, TrainingRanges ranges) throws IOException {
    for (FeatureRanges featureRanges : ranges.deviceRanges()) {
      for (int i = 0; i < Feature.count(); i++) {
        out.writeFloats(featureRanges.lowest(i), featureRanges.highest(i));
      }
    }
  }

  public static TrainingRanges readRanges(PayloadReader in, List<DeviceId> devices) {
    SortedMap<DeviceId, FeatureRanges> deviceRanges = new TreeMap<>();
    for (DeviceId device : devices) {
      float[] bounds = in.readFloats(2 * Feature.count());
      float[] lowest = new float[Feature.count()];
      float[] highest = new float[Feature.count()];
      for (int i = 0; i < lowest.length; i++) {
        lowest[i] = bounds[2 * i];
        highest[i] = bounds[2 * i + 1];
      }
      deviceRanges.put(device, new FeatureRanges(lowest, highest));
    }
    return new TrainingRanges(deviceRanges);
  }

  /** Rows, then both quantiles of every level. */
  public static void write(PayloadWriter out, LevelQuantiles quantiles) throws IOException {
    out.writeInt(quantiles.rows());
    for (int level = 0; level < LevelQuantiles.levels(); level++) {
      write(out, quantiles.atIndex(level));
    }
  }

  public static LevelQuantiles readLevels(PayloadReader in) {
    int rows = in.readInt();
    ResidualQuantiles[] byLevel = new ResidualQuantiles[LevelQuantiles.levels()];
    for (int level = 0; level < byLevel.length; level++) {
      byLevel[level] = readQuantiles(in);
    }
    return new LevelQuantiles(rows, byLevel);
  }

  private static void write(PayloadWriter out, ResidualQuantiles quantiles) throws IOException {
    out.writeDoubles(quantiles.lower(), quantiles.upper());
  }

  private static ResidualQuantiles readQuantiles(PayloadReader in) {
    return new ResidualQuantiles(in.readDouble(), in.readDouble());
  }
}
