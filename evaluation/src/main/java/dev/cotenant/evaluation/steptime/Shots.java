package dev.cotenant.evaluation.steptime;

import dev.cotenant.domain.profile.StepTimeRun;
import dev.cotenant.predictor.steptime.ShotCorrection;
import dev.cotenant.predictor.steptime.ShotCorrection.Group;
import dev.cotenant.predictor.steptime.ShotCorrection.Shot;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Predictions moved by a few measured rows of other networks of the same group. */
final class Shots {
  private Shots() {}

  /** Rows of groups that have a row of another network; each draws its own, always the same. */
  static Scored of(Scored scored, Group group, int count) {
    Function<StepTimeRun, String> key =
        switch (group) {
          case FAMILY -> Bench::family;
          case DEVICE -> Bench::device;
        };
    Scored result = new Scored();
    Random random = new Random(count);
    Map<String, List<Scored.Row>> groups =
        scored.rows().stream()
            .collect(
                Collectors.groupingBy(
                    row -> key.apply(row.run()), TreeMap::new, Collectors.toList()));
    for (List<Scored.Row> rows : groups.values()) {
      for (Scored.Row row : rows) {
        List<Shot> shots = drawn(rows, row, count, random);
        if (!shots.isEmpty()) {
          result.add(row.run(), row.predicted() + ShotCorrection.of(group, shots, row.run()));
        }
      }
    }
    return result;
  }

  private static List<Shot> drawn(List<Scored.Row> rows, Scored.Row row, int count, Random random) {
    String own = row.run().network().name();
    List<Scored.Row> others =
        rows.stream().filter(other -> !other.run().network().name().equals(own)).toList();
    List<Shot> shots = new ArrayList<>();
    for (int index :
        random
            .ints(0, Math.max(1, others.size()))
            .distinct()
            .limit(Math.min(count, others.size()))
            .toArray()) {
      Scored.Row other = others.get(index);
      shots.add(new Shot(other.run(), other.residual()));
    }
    return shots;
  }
}
