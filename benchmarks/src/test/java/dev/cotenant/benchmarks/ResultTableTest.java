package dev.cotenant.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ResultTableTest {
  @Test
  void comparesEverySampleWithItsGoalAndWithTheOtherLoader() {
    // 2.5 of 10 ms are a quarter: 5 of 20 cells; 500 / 2.5 = 200 times; 40,000 µs / 100,000 nodes.
    String table =
        new ResultTable()
            .add("readAndExtract", Sample.BERT_BASE_WEIGHTS, new Timing(2.5, 2, 1_500_000))
            .add("readAndExtract", Sample.CHAIN_100K, new Timing(40, 30, 0))
            .add("loadOptimized", Sample.BERT_BASE_WEIGHTS, new Timing(500, 450, 0))
            .toString();
    assertThat(table)
        .contains(
            "bert-base-weights      2.500     2.000     10  █████░░░░░░░░░░░░░░░  25 %       1.50")
        .contains("bert-base-weights  optimized 500 (200×)         not optimized not run")
        .contains("Microseconds a node: chain-100000 0.40\n");
  }

  @ParameterizedTest
  @CsvSource({"0, 0 %", "0.01, 1 %", "1, 100 %", "3, 300 %"})
  void neverDrawsMoreThanAFullBar(double share, String end) {
    assertThat(ResultTable.bar(share)).hasSizeLessThan(28).endsWith(end);
  }
}
