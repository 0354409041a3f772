package dev.cotenant.predictor.correct;

import dev.cotenant.domain.InputException;
import dev.cotenant.learning.file.FileFormat;
import dev.cotenant.learning.file.FileFormatException;
import dev.cotenant.learning.file.PayloadReader;
import dev.cotenant.learning.file.PayloadWriter;
import dev.cotenant.learning.trees.BoostedTrees;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Corrections as files: base, families, then for each target its runs, errors, contexts, offsets,
 * scales of bounds and trees.
 */
public final class CorrectionFile {
  /** Larger than ten thousand models and a thousand trees. */
  public static final int MAX_BYTES = 8 << 20;

  private static final FileFormat FORMAT = new FileFormat("COTC", 2, MAX_BYTES);
  private static final int LABEL_DIGITS = 12;
  private static final int STRUCTURE_NUMBERS = 6;
  private static final int MIN_MEMBER_BYTES = Integer.BYTES + STRUCTURE_NUMBERS * Double.BYTES;
  private static final int MIN_ENTRY_BYTES = Integer.BYTES + Double.BYTES;

  private CorrectionFile() {}

  /** Whether bytes claim to be a correction, of whatever version. */
  public static boolean isOne(byte[] bytes) {
    return FORMAT.claims(bytes);
  }

  /**
   * Label of the correction in a file: {@code corrected-2-}, by its format, and 12 digits of the
   * file's SHA-256.
   */
  public static String label(byte[] bytes) {
    return "corrected-"
        + FORMAT.version()
        + "-"
        + FileFormat.nameOf(bytes).substring(0, LABEL_DIGITS);
  }

  /** The file of a correction; the same correction gives the same bytes. */
  public static byte[] write(Correction correction) {
    return FORMAT.write(out -> write(out, correction));
  }

  /**
   * Reads a file.
   *
   * @param name name of the file in messages
   * @throws InputException ({@code not-a-correction}, {@code newer-correction}, {@code
   *     damaged-correction}, {@code correction-too-large})
   */
  public static Correction read(byte[] bytes, String name) {
    try {
      return FORMAT.read(bytes, CorrectionFile::read);
    } catch (FileFormatException e) {
      String message = name + ": " + e.getMessage() + ".";
      InputException refused =
          switch (e.problem()) {
            case OTHER_KIND ->
                InputException.malformed(
                    "not-a-correction", name + ": is not a correction written by a training.");
            case TOO_LARGE -> InputException.tooLarge("correction-too-large", message);
            case OTHER_VERSION -> InputException.malformed("newer-correction", message);
            case DAMAGED -> InputException.malformed("damaged-correction", message);
          };
      refused.initCause(e);
      throw refused;
    }
  }

  private static void write(PayloadWriter out, Correction correction) throws IOException {
    out.writeText(correction.base().sha256());
    out.writeText(correction.base().label());
    out.writeInt(correction.families().members().size());
    for (FamilyIndex.Member member : correction.families().members()) {
      out.writeText(member.family());
      Structure at = member.structure();
      out.writeDoubles(
          at.convolution(), at.linear(), at.activation(), at.other(), at.parameters(), at.work());
    }
    for (CorrectedTarget target : CorrectedTarget.values()) {
      write(out, correction.of(target));
    }
  }

  private static void write(PayloadWriter out, TargetCorrection found) throws IOException {
    out.writeInt(found.runs());
    out.writeDoubles(found.leftOutBefore(), found.leftOutAfter());
    out.writeInt(found.contexts().size());
    for (Map.Entry<String, ProcessBaseline> entry : found.contexts().entrySet()) {
      out.writeText(entry.getKey());
      out.writeDoubles(entry.getValue().extraBytes(), entry.getValue().deviationBytes());
    }
    write(out, found.offsets().platforms());
    write(out, found.offsets().families());
    write(out, found.offsets().familiesOnPlatforms());
    write(out, found.overall());
    out.writeInt(found.scales().size());
    for (Map.Entry<String, BoundScale> entry : found.scales().entrySet()) {
      out.writeText(entry.getKey());
      write(out, entry.getValue());
    }
    found.trees().writeTo(out);
  }

  private static void write(PayloadWriter out, Map<String, Double> offsets) throws IOException {
    out.writeInt(offsets.size());
    for (Map.Entry<String, Double> entry : offsets.entrySet()) {
      out.writeText(entry.getKey());
      out.writeDouble(entry.getValue());
    }
  }

  private static void write(PayloadWriter out, BoundScale scale) throws IOException {
    out.writeDoubles(scale.above(), scale.below());
    out.writeInt(scale.runs());
  }

  private static Correction read(PayloadReader in) {
    Correction.Base base = new Correction.Base(in.readText(), in.readText());
    List<FamilyIndex.Member> families = new ArrayList<>();
    for (int left = in.readCount(MIN_MEMBER_BYTES); left > 0; left--) {
      families.add(readMember(in));
    }
    TargetCorrection utilization = readTarget(in);
    return new Correction(base, new FamilyIndex(families), utilization, readTarget(in));
  }

  private static FamilyIndex.Member readMember(PayloadReader in) {
    String family = in.readText();
    double[] at = in.readDoubles(STRUCTURE_NUMBERS);
    return new FamilyIndex.Member(family, new Structure(at[0], at[1], at[2], at[3], at[4], at[5]));
  }

  private static TargetCorrection readTarget(PayloadReader in) {
    int runs = in.readInt();
    double leftOutBefore = in.readFinite();
    double leftOutAfter = in.readFinite();
    Map<String, ProcessBaseline> contexts =
        readMap(in, () -> new ProcessBaseline(in.readFinite(), in.readFinite()));
    Offsets offsets =
        new Offsets(
            readMap(in, in::readFinite), readMap(in, in::readFinite), readMap(in, in::readFinite));
    BoundScale overall = readScale(in);
    Map<String, BoundScale> scales = readMap(in, () -> readScale(in));
    BoostedTrees trees = BoostedTrees.readFrom(in, RequestFeatures.COUNT);
    return new TargetCorrection(
        runs, contexts, offsets, trees, scales, overall, leftOutBefore, leftOutAfter);
  }

  private static <T> Map<String, T> readMap(PayloadReader in, Supplier<T> value) {
    Map<String, T> map = new TreeMap<>();
    for (int left = in.readCount(MIN_ENTRY_BYTES); left > 0; left--) {
      map.put(in.readText(), value.get());
    }
    return map;
  }

  private static BoundScale readScale(PayloadReader in) {
    return new BoundScale(in.readFinite(), in.readFinite(), in.readInt());
  }
}
