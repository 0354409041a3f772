package dev.cotenant.datasets.collector;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.colocation.ColocationRows;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.profile.ProfileSource;
import dev.cotenant.domain.quantity.MemorySize;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The collector's whole path on a machine without a GPU. */
class CollectorFakeGpuTest {
  @TempDir Path folder;
  private CollectorScript script;

  @BeforeEach
  void requirePython() {
    script = new CollectorScript(folder.resolve("printed"));
  }

  @Test
  void passesItsOwnUnitTests() {
    assertThat(script.run("-m", "unittest")).contains("OK");
  }

  @Test
  void whatSoloWroteIsRead() throws IOException {
    Path out = folder.resolve("solo");

    assertThat(script.onFakeGpu("solo", "fake-gpu.csv", out)).endsWith("done\n");

    ProfileSource.Result result = new CollectorSource(out).read();
    assertThat(result.rows())
        .extracting(row -> row.topology() + "/" + row.features().batchSize() + "/" + row.settings())
        .hasSize(6)
        .doesNotHaveDuplicates();
    assertThat(result.rows()).allSatisfy(CollectorFakeGpuTest::verify);
    assertThat(result.rejected()).hasSize(3);
    assertThat(result.rejected()).filteredOn(line -> line.contains("poisson:0.5")).hasSize(2);
    assertThat(result.rejected()).filteredOn(line -> line.contains(": out-of-memory: ")).hasSize(1);
    String table = Files.readString(out.resolve("solo.csv"));

    assertThat(script.onFakeGpu("solo", "fake-gpu.csv", out)).doesNotContain("[1/");
    assertThat(out.resolve("solo.csv")).as("nothing is measured twice").hasContent(table);
  }

  private static void verify(ProfileRow row) {
    assertThat(row.device().value()).isEqualTo("fake-gpu");
    assertThat(row.utilization()).isNotNull();
    assertThat(row.peakMemory()).isNotNull();
    switch (row.family()) {
      case "resnet" -> {
        // ResNet-18 for ten classes, batch 4: 1.814 GMACs at 224×224 are some 37 M at 32×32
        assertThat(row.features().layers().convolution()).isEqualTo(20);
        assertThat(row.features().multiplyAccumulates()).isEqualTo(4 * 37_016_576L);
      }
      // 784·64 + 64·64 + 64·10 multiply-accumulates a sample
      case "mlp" ->
          assertThat(row.features().multiplyAccumulates())
              .isEqualTo(54_912L * row.features().batchSize());
      default -> throw new AssertionError(row.family());
    }
  }

  @Test
  void pairsHaveASlowdownOrSayWhyNot() throws IOException {
    Path out = folder.resolve("pairs");

    // On a busy machine a short window of two processes ends before any step does.
    assertThat(script.onFakeGpu("pairs", "fake-gpu-pairs.csv", out, "--window-seconds", "1.5"))
        .contains("ok  slowdown ")
        .contains("unsupported: no MPS shares: a fake GPU has none")
        .endsWith("done\n");

    assertThat(Files.readAllLines(out.resolve("pairs.csv"))).hasSize(1 + 6);
    assertThat(Files.readAllLines(out.resolve("pairs-series.csv"))).hasSizeGreaterThan(5);
    ColocationRows rows = new CollectorPairsSource(out).read();
    assertThat(rows.size() + rows.rejected().size()).as("every member").isEqualTo(6);
    assertThat(rows.training()).hasSize(2);
    assertThat(rows.rejected())
        .allSatisfy(line -> assertThat(line).containsAnyOf("no MPS shares", "an inference job"));
  }

  @Test
  void aSeriesRisesInTimeAndNamesItsCapacity() throws IOException {
    Path out = folder.resolve("memory");

    script.onFakeGpu("memory", "fake-gpu-profile.csv", out);

    List<String> lines;
    try (Stream<Path> files = Files.list(out.resolve("series"))) {
      lines = Files.readAllLines(files.findFirst().orElseThrow());
    }
    assertThat(lines.getFirst()).isEqualTo("timestamp_seconds,used_memory_bytes,capacity_bytes");
    assertThat(lines).hasSizeGreaterThan(20);
    assertThat(
            lines.stream()
                .skip(1)
                .map(line -> Double.parseDouble(line.substring(0, line.indexOf(',')))))
        .isSorted()
        .doesNotHaveDuplicates();
    assertThat(new CollectorSeriesSource(out).read().devices())
        .allSatisfy(device -> assertThat(device.capacity()).isGreaterThan(MemorySize.ZERO));
  }

  @Test
  void aProfileNamesTheCoefficientsThatAreMissing() throws IOException {
    Path out = folder.resolve("profile");

    assertThat(script.onFakeGpu("profile", "fake-gpu-profile.csv", out))
        .contains("MPS shares: no, a fake GPU has none; without them k1 to k5 cannot be fitted")
        .contains("incomplete, missing k1, k2, k3, k4, k5, cache_sensitivity");

    assertThat(out.resolve("fake-gpu.profiles")).content().startsWith("cotenant-profiles 1\n");
    assertThat(Files.readAllLines(out.resolve("profile-points.csv"))).hasSize(1 + 6);
  }
}
