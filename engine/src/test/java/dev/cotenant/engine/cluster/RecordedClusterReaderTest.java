package dev.cotenant.engine.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RecordedClusterReaderTest {
  private static final Path EXAMPLES =
      Path.of(System.getProperty("cotenant.root"), "examples", "clusters");
  private static final String SMALL =
      """
      {"recorded_at": "2026-11-20T10:00:00Z",
       "gpus": [{"uuid": "GPU-1", "node": "n1", "device": "a100-40gb", "capacity_bytes": 1000,
         "tenants": [{"name": "a/b",
           "utilization_percent": {"mean": 20, "lower": 10, "upper": 30, "coverage": 0.9},
           "peak_memory_bytes": {"mean": 200, "lower": 100, "upper": 300, "coverage": 0.9},
           "slowdown_limit_ratio": 1.15, "since": "2026-11-20T09:00:00Z"}],
         "used_memory": {"started_at": "2026-11-20T09:59:00Z", "interval_seconds": 30,
           "bytes": [100, null, 120]}}]}
      """;

  private final RecordedClusterReader reader = new RecordedClusterReader(DeviceCatalogue.builtIn());

  @ParameterizedTest
  @ValueSource(strings = {"empty.json", "busy.json", "full.json"})
  void readsEveryExample(String name) {
    RecordedCluster cluster = reader.read(EXAMPLES.resolve(name));

    assertThat(cluster.gpus()).isNotEmpty();
    assertThat(cluster.description()).contains("made up");
  }

  @Test
  void readsTenantsAndSeriesAndLeavesOutSamplesThatWereNotTaken() {
    RecordedCluster cluster = read(SMALL);

    GpuReading gpu = cluster.gpus().getFirst();
    assertThat(cluster.recordedAt()).isEqualTo(Instant.parse("2026-11-20T10:00:00Z"));
    assertThat(gpu.capacity()).isEqualTo(MemorySize.ofBytes(1000));
    assertThat(((Tenancy.Shared) gpu.tenancy()).tenants())
        .singleElement()
        .satisfies(tenant -> assertThat(tenant.name()).isEqualTo("a/b"))
        .satisfies(tenant -> assertThat(tenant.utilization().upper().percent()).isEqualTo(30));
    assertThat(gpu.usedMemory().samples())
        .extracting(sample -> sample.used().bytes())
        .containsExactly(100L, 120L);
    assertThat(gpu.usedMemory().samples().getLast().at())
        .isEqualTo(Instant.parse("2026-11-20T10:00:00Z"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          "a100-40gb"            | "gpu9000"    | gpus[0].device
          "capacity_bytes": 1000 | "capacity_bytes": 0 | gpus[0].capacity_bytes
          "capacity_bytes": 1000 | "capacity": 1000    | capacity
          "uuid": "GPU-1",       | ''                  | gpus[0].uuid
          "mean": 20             | "mean": 120         | utilization_percent.mean: must be from 0
          "mean": 200            | "mean": 2e13        | peak_memory_bytes.mean: must be from 0
          "lower": 100           | "lower": 1e300      | peak_memory_bytes.lower: must be from 0
          120]                   | 9223372036854775807]| used_memory.bytes[2]: must be from 0
          "node": "n1",          | "node": "n1", "observed_utilization_percent": 101, | gpus[0].obs
          "node": "n1",          | "node": "n1", "index": -1, | gpus[0].index: must be from 0 to 9999, is -1
          "node": "n1",          | "node": "n1", "node": "n2", | Duplicate field 'node'
          "gpus": [              | "gpus": 1, "x": [   | gpus: must be a list
          "capacity_bytes": 1000 | "capacity_bytes": [] | gpus[0].capacity_bytes: must be a whole
          "2026-11-20T10:00:00Z" | "-9999-11-20T10:00:00Z" | recorded_at: must be from 1970
          "lower": 100           | "lower": 250        | lower <= mean
          [100, null, 120]       | [100, -5]           | used_memory.bytes[1]
          [100, null, 120]       | [1.5]               | bytes
          09:59:00Z              | yesterday           | used_memory.started_at
          T09:59:00Z             | T10:00:00Z          | gpus[0].used_memory
          1.15                   | 0.5                 | ratio must be at least 1
          "node": "n1",          | "node": "n1", "x": {| line
          """)
  void namesThePlaceOfWhatIsWrong(String from, String to, String place) {
    assertThatExceptionOfType(InputException.class)
        .isThrownBy(() -> read(SMALL.replace(from, to)))
        .satisfies(e -> assertThat(e.kind()).isEqualTo(InputException.Kind.MALFORMED))
        .withMessageStartingWith("test.json: ")
        .withMessageContaining(place)
        .satisfies(e -> assertThat(e.getMessage()).doesNotContain("\n"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"[]", "1", "\"x\"", "null", "{} {}"})
  void saysInItsOwnWordsThatADocumentIsNone(String json) {
    assertThatExceptionOfType(InputException.class)
        .isThrownBy(() -> read(json))
        .withMessageStartingWith("test.json: ")
        .withMessageNotContainingAny("dev.cotenant", "com.fasterxml", "`");
  }

  @Test
  void readsHowBusyAGpuWasObservedToBe() {
    String observed =
        SMALL.replace("\"node\":", "\"observed_utilization_percent\": 42.5, \"node\":");

    assertThat(read(observed).gpus().getFirst().observedUtilization())
        .isEqualTo(Utilization.ofPercent(42.5));
    assertThat(read(SMALL).gpus().getFirst().observedUtilization()).isNull();
  }

  @Test
  void saysThatAFileIsADirectory() {
    assertThatExceptionOfType(InputException.class)
        .isThrownBy(() -> reader.read(EXAMPLES))
        .withMessageEndingWith("clusters: is a directory; name a recorded cluster (JSON).");
  }

  @Test
  void refusesTheSameGpuTwice() {
    String gpu = SMALL.substring(SMALL.indexOf("{\"uuid\""), SMALL.lastIndexOf("]}"));

    assertThatExceptionOfType(InputException.class)
        .isThrownBy(() -> read(SMALL.replace(gpu, gpu + "," + gpu)))
        .withMessageContaining("GPU-1 appears twice");
  }

  @Test
  void saysThatAFileIsMissing() {
    assertThatExceptionOfType(InputException.class)
        .isThrownBy(() -> reader.read(Path.of("nowhere.json")))
        .satisfies(e -> assertThat(e.code()).isEqualTo("missing-file"));
  }

  @Test
  void throwsNothingElseWhateverTheBytes() throws IOException {
    byte[] original = Files.readAllBytes(EXAMPLES.resolve("busy.json"));
    Random random = new Random(7);
    int refused = 0;
    for (int round = 0; round < 2_000; round++) {
      byte[] mutant = original.clone();
      for (int hit = 0; hit <= random.nextInt(4); hit++) {
        mutant[random.nextInt(mutant.length)] = (byte) (32 + random.nextInt(95));
      }
      try {
        reader.read(mutant, "mutant");
      } catch (InputException e) {
        refused++;
        assertThat(e.getMessage()).startsWith("mutant: ");
      }
    }
    assertThat(refused).isGreaterThan(500);
  }

  private RecordedCluster read(String json) {
    return reader.read(json.getBytes(StandardCharsets.UTF_8), "test.json");
  }
}
