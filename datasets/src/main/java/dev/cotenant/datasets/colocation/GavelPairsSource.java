package dev.cotenant.datasets.colocation;

import dev.cotenant.datasets.file.DataRow;
import dev.cotenant.datasets.file.UnusableRowException;
import dev.cotenant.domain.colocation.ColocationRows;
import dev.cotenant.domain.colocation.TrainingPair;
import java.nio.file.Path;
import java.util.List;

/**
 * Reads Gavel's throughputs of colocated training jobs, one row a pair, both sides.
 *
 * <p>A pair where a job made no progress ran out of memory and is rejected.
 */
public final class GavelPairsSource extends ColocationTable<TrainingPair> {
  private static final double MAX_SPEED = 10;
  private static final List<String> COLUMNS =
      List.of("gpu", "job_a", "job_b", "solo_a", "solo_b", "coloc_a", "coloc_b");

  public GavelPairsSource(Path file) {
    super(
        file,
        COLUMNS,
        GavelPairsSource::pair,
        (rows, rejected) -> new ColocationRows(List.of(), List.of(), rows, List.of(), rejected));
  }

  private static List<TrainingPair> pair(DataRow row) {
    double speedA = speed(row, "a");
    double speedB = speed(row, "b");
    TrainingPair.Job a = job(row.text("job_a"));
    TrainingPair.Job b = job(row.text("job_b"));
    String source = "gavel-pairs/" + row.place();
    TrainingPair ofA = new TrainingPair(source, row.text("gpu"), a, b, speedA);
    return a.equals(b) && speedA == speedB
        ? List.of(ofA)
        : List.of(ofA, new TrainingPair(source, row.text("gpu"), b, a, speedB));
  }

  private static double speed(DataRow row, String side) {
    double speed = row.number("coloc_" + side, 0, 1e12) / row.positive("solo_" + side);
    if (!(speed > 0 && speed <= MAX_SPEED)) {
      throw new UnusableRowException(
          "job_" + side + " ran at " + speed + " of its solo speed, outside 0 to " + MAX_SPEED);
    }
    return speed;
  }

  /** {@code ResNet-50 (batch size 16)} is the model and its configuration. */
  private static TrainingPair.Job job(String name) {
    int open = name.indexOf(" (");
    return open < 0
        ? new TrainingPair.Job(name, "", null)
        : new TrainingPair.Job(name.substring(0, open), name.substring(open + 1), null);
  }
}
