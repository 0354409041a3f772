package dev.cotenant.datasets.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.datasets.file.DataFile;
import dev.cotenant.domain.testing.GeneratedPart;
import dev.cotenant.domain.testing.OutsideData;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KnownSetTest {
  @Test
  void isFoundByItsHash() {
    for (KnownSet set : KnownSet.all()) {
      assertThat(KnownSet.of(set.sha256())).contains(set);
    }
    assertThat(KnownSet.of("0".repeat(64))).isEmpty();
  }

  @Test
  void standsInThePageAboutSets() {
    List<String> lines = new ArrayList<>();
    lines.add("| format | file | rows | licence | state | from |");
    lines.add("| --- | --- | ---: | --- | --- | --- |");
    for (KnownSet set : KnownSet.all()) {
      lines.add(
          "| "
              + String.join(
                  " | ",
                  set.format(),
                  "`" + set.file() + "`",
                  String.valueOf(set.rows()),
                  set.licence(),
                  set.state(),
                  set.download())
              + " |");
    }
    GeneratedPart.check("docs/datasets.md", "KnownSetTest", lines);
  }

  @ParameterizedTest
  @CsvSource({
    "gpu_util_named_models.csv, named-models",
    "gpumemnet/runs.csv.gz, gpumemnet",
    "spread/runs_summary.csv, spread",
    "spread/single_worker_timeseries.jsonl.gz, spread-series",
    "lucid/single_data.csv, lucid",
    "lucid/colocate_info.csv, lucid-pairs",
    "gavel/pair_throughput.csv, gavel-pairs",
    "igniter/v100_solo_latency.csv, igniter-solo",
    "igniter/v100_pair_latency.csv, igniter-pairs",
    "glet/2080ti/UTIL.CSV, glet",
    "glet/3080/UTIL.CSV, glet",
    "alibaba/genai-v2026/pod_gpu_memory_used_bytes_anon.csv.gz, alibaba-genai",
    "carma/summary.csv, carma",
    "alnair/Dataset.csv, alnair",
  })
  void knowsThePublishedFile(String file, String format) {
    Path path = OutsideData.require("data/" + file);

    assertThat(KnownSet.of(DataFile.sha256(List.of(path))).orElseThrow().format())
        .isEqualTo(format);
  }
}
