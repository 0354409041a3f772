package dev.cotenant.evaluation.interference;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.colocation.PairLatency;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SplitTest {
  private static final List<Integer> BATCHES = List.of(2, 4, 8);

  private static List<PairLatency> rows() {
    List<PairLatency> rows = new ArrayList<>();
    for (int own : BATCHES) {
      for (int other : BATCHES) {
        rows.add(
            new PairLatency(
                "test:1",
                new PairLatency.Side("a", own, 40),
                new PairLatency.Side("b", other, 60),
                1,
                1.1));
      }
    }
    return rows;
  }

  @Test
  void leavesEachBatchOutOnBothSides() {
    List<Split<PairLatency>> splits = Split.batchOut(rows(), row -> row, 3, 1);

    assertThat(splits).hasSize(3);
    for (int i = 0; i < splits.size(); i++) {
      int batch = BATCHES.get(i);
      assertThat(splits.get(i).train()).hasSize(3).noneMatch(row -> runsAt(row, batch));
      assertThat(splits.get(i).test()).hasSize(5).allMatch(row -> runsAt(row, batch));
    }
  }

  private static boolean runsAt(PairLatency row, int batch) {
    return Stream.of(row.own(), row.other()).anyMatch(side -> side.batch() == batch);
  }
}
