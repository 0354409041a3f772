package dev.cotenant.predictor.correct;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Reads what {@link CorrectionWriter} writes; anything else is an IllegalArgumentException. */
final class CorrectionReader {
  private static final int MAX_ENTRIES = 100_000;

  private final Iterator<String> lines;
  private int version;

  CorrectionReader(String body) {
    lines = body.lines().iterator();
  }

  Correction read() {
    version = Integer.parseInt(cells(2)[1]);
    String[] base = cells(3);
    Instant trainedAt = Instant.parse(cells(2)[1]);
    FamilyIndex families = families();
    TargetCorrection utilization = target(CorrectedTarget.UTILIZATION);
    TargetCorrection memory = target(CorrectedTarget.PEAK_MEMORY);
    if (lines.hasNext()) {
      throw new IllegalArgumentException("there is more after its end");
    }
    return new Correction(
        new Correction.Base(base[1], base[2]), trainedAt, families, utilization, memory);
  }

  private String line() {
    if (!lines.hasNext()) {
      throw new IllegalArgumentException("it ends too early");
    }
    return lines.next();
  }

  /** A line of so many cells, the last of which may hold spaces. */
  private String[] cells(int count) {
    String line = line();
    String[] cells = line.split(" ", count);
    if (cells.length != count) {
      throw new IllegalArgumentException("the line '" + line + "' lacks entries");
    }
    return cells;
  }

  private int count(String key) {
    String[] cells = cells(2);
    int count = Integer.parseInt(cells[1]);
    if (!cells[0].equals(key) || count < 0 || count > MAX_ENTRIES) {
      throw new IllegalArgumentException("it says '" + cells[0] + " " + cells[1] + "' for " + key);
    }
    return count;
  }

  private static double finite(String cell) {
    double value = Double.parseDouble(cell);
    if (!Double.isFinite(value)) {
      throw new IllegalArgumentException("it holds the number " + cell);
    }
    return value;
  }

  private FamilyIndex families() {
    int count = count("models");
    List<FamilyIndex.Member> members = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String[] cells = cells(7);
      members.add(
          new FamilyIndex.Member(
              cells[6],
              new Structure(
                  finite(cells[0]),
                  finite(cells[1]),
                  finite(cells[2]),
                  finite(cells[3]),
                  finite(cells[4]),
                  finite(cells[5]))));
    }
    return new FamilyIndex(members);
  }

  private TargetCorrection target(CorrectedTarget target) {
    String[] head = cells(2);
    if (!head[1].equals(target.key())) {
      throw new IllegalArgumentException("it says '" + head[1] + "' for " + target.key());
    }
    String[] runs = cells(4);
    Map<String, HostContext> contexts =
        version > CorrectionFile.WITHOUT_HOSTS ? contexts() : Map.of();
    Offsets offsets = new Offsets(offsets(), offsets(), offsets());
    BoundScale overall = scale(cells(4));
    Map<String, BoundScale> scales = new TreeMap<>();
    int count = count("scales");
    for (int i = 0; i < count; i++) {
      String[] cells = cells(4);
      scales.put(cells[3], scale(cells));
    }
    return new TargetCorrection(
        Integer.parseInt(runs[1]),
        contexts,
        offsets,
        trees(),
        scales,
        overall,
        finite(runs[2]),
        finite(runs[3]));
  }

  private Map<String, HostContext> contexts() {
    int count = count("contexts");
    Map<String, HostContext> contexts = new TreeMap<>();
    for (int i = 0; i < count; i++) {
      String[] cells = cells(3);
      contexts.put(cells[2], new HostContext(finite(cells[0]), finite(cells[1])));
    }
    return contexts;
  }

  private Map<String, Double> offsets() {
    int count = count("offsets");
    Map<String, Double> offsets = new TreeMap<>();
    for (int i = 0; i < count; i++) {
      String[] cells = cells(2);
      offsets.put(cells[1], finite(cells[0]));
    }
    return offsets;
  }

  private static BoundScale scale(String[] cells) {
    return new BoundScale(
        Double.parseDouble(cells[0]), Double.parseDouble(cells[1]), Integer.parseInt(cells[2]));
  }

  private BoostedTrees trees() {
    int count = count("trees");
    List<RegressionTree> trees = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int nodes = count("nodes");
      List<String> tree = new ArrayList<>();
      for (int node = 0; node < nodes; node++) {
        tree.add(line());
      }
      trees.add(RegressionTree.parse(tree));
    }
    return new BoostedTrees(trees);
  }
}
