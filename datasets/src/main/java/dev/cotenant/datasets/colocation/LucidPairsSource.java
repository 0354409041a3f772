package dev.cotenant.datasets.colocation;

import dev.cotenant.datasets.file.DataFile;
import dev.cotenant.datasets.file.DataRow;
import dev.cotenant.datasets.file.UnusableRowException;
import dev.cotenant.domain.colocation.ColocationRows;
import dev.cotenant.domain.colocation.TrainingPair;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads Lucid's pairs of training jobs: {@code colocate_info.csv} with {@code single_data.csv}
 * beside it, or the folder that holds both.
 *
 * <p>A pair whose memory is below 0.9 of the larger job's had one job dead and is rejected. The
 * tables name no device; the paper says RTX 3090.
 */
public final class LucidPairsSource implements ColocationFile {
  private static final String DEVICE = "rtx-3090";
  private static final String PAIRS = "colocate_info.csv";
  private static final String SINGLES = "single_data.csv";
  private static final double DEAD_BELOW = 0.9;
  private static final double MAX_MEBIBYTES = 1e6;
  private static final double MAX_SPEED = 10;
  private static final List<String> SINGLE_COLUMNS =
      List.of("model", "dataset", "batchsize", "amp", "gpu_util", "gmem_util", "gmem");
  private static final List<String> PAIR_COLUMNS =
      List.of(
          "model1",
          "dataset1",
          "batchsize1",
          "amp1",
          "speed1",
          "model2",
          "dataset2",
          "batchsize2",
          "amp2",
          "speed2",
          "gmem");

  private final Path pairs;
  private final Path singles;

  /**
   * @param path the table of pairs, or the folder of both tables
   */
  public LucidPairsSource(Path path) {
    pairs = Files.isDirectory(path) ? path.resolve(PAIRS) : path;
    singles = pairs.resolveSibling(SINGLES);
  }

  @Override
  public List<Path> files() {
    return List.of(singles, pairs);
  }

  @Override
  public ColocationRows read() {
    List<String> rejected = new ArrayList<>();
    Map<String, TrainingPair.Job> jobs = new HashMap<>();
    new DataFile(singles)
        .readTable(SINGLE_COLUMNS, row -> jobs.put(key(row, ""), job(row)), rejected);
    List<TrainingPair> rows = new ArrayList<>();
    new DataFile(pairs).readTable(PAIR_COLUMNS, row -> rows.addAll(pair(row, jobs)), rejected);
    return new ColocationRows(List.of(), List.of(), rows, List.of(), rejected);
  }

  private static TrainingPair.Job job(DataRow row) {
    return new TrainingPair.Job(
        row.text("model"),
        row.text("dataset") + " b" + row.batch("batchsize") + " amp" + row.text("amp"),
        new TrainingPair.Usage(
            row.number("gpu_util", 0, 100),
            row.number("gmem_util", 0, 100),
            row.number("gmem", 0, MAX_MEBIBYTES)));
  }

  private static List<TrainingPair> pair(DataRow row, Map<String, TrainingPair.Job> jobs) {
    TrainingPair.Job first = find(row, "1", jobs);
    TrainingPair.Job second = find(row, "2", jobs);
    double larger = Math.max(memory(first), memory(second));
    if (row.number("gmem", 0, MAX_MEBIBYTES) < DEAD_BELOW * larger) {
      throw new UnusableRowException("the pair uses less memory than one job alone: one was dead");
    }
    String source = "lucid-pairs/" + row.place();
    return List.of(
        new TrainingPair(source, DEVICE, first, second, row.number("speed1", 0, MAX_SPEED)),
        new TrainingPair(source, DEVICE, second, first, row.number("speed2", 0, MAX_SPEED)));
  }

  private static double memory(TrainingPair.Job job) {
    TrainingPair.Usage usage = job.usage();
    return usage == null ? 0 : usage.memoryMebibytes();
  }

  private static TrainingPair.Job find(
      DataRow row, String side, Map<String, TrainingPair.Job> jobs) {
    TrainingPair.Job job = jobs.get(key(row, side));
    if (job == null) {
      throw new UnusableRowException(
          "there is no solo run of " + key(row, side) + " in " + SINGLES);
    }
    return job;
  }

  private static String key(DataRow row, String side) {
    return row.text("model" + side)
        + " "
        + row.text("dataset" + side)
        + " b"
        + row.batch("batchsize" + side)
        + " amp"
        + row.text("amp" + side);
  }
}
