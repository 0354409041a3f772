package dev.cotenant.datasets.series;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.forecast.RecordedDevice;
import dev.cotenant.domain.forecast.SeriesSource;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.testing.OutsideData;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SeriesSourcesTest {
  private static final String HEADER = "timestamp_anon,value,container_ip\n";

  @TempDir private Path folder;

  private Path alibaba(String rows) throws IOException {
    Path file = folder.resolve("pod_gpu_memory_used_bytes_anon.csv.gz");
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
      out.write((HEADER + rows).getBytes(StandardCharsets.UTF_8));
    }
    return folder;
  }

  private static String pod(String name, int samples) {
    StringBuilder rows = new StringBuilder();
    for (int i = samples - 1; i >= 0; i--) {
      rows.append(1_000 + 57 * i).append(".0,").append(i * 1_048_576L).append(".0,");
      rows.append(name).append('\n');
    }
    return rows.toString();
  }

  @Test
  void sortsSeriesByPodAndTimeAndLeavesOutShortOnes() throws IOException {
    SeriesSource.Result read =
        new AlibabaGenAiSource(alibaba(pod("b", 100) + pod("short", 99) + pod("a", 101))).read();
    assertThat(read.devices()).extracting(RecordedDevice::name).containsExactly("a", "b");
    assertThat(read.devices().getFirst().series().samples()).hasSize(101);
    assertThat(read.devices().getFirst().series().last().orElseThrow().used())
        .isEqualTo(MemorySize.ofMiB(100));
    assertThat(read.devices().getFirst().capacity()).isEqualTo(MemorySize.ofMiB(49_140));
    assertThat(read.rejected()).isEmpty();
    assertThat(read.sha256()).hasSize(64);
  }

  @Test
  void rejectsRowsThatAreNoneAndNamesTheirLine() throws IOException {
    SeriesSource.Result read =
        new AlibabaGenAiSource(
                alibaba(pod("a", 100) + "x,1,a\n1,NaN,a\n1,-5,a\n1,1e15,a\n1000,1,a\n1,2\n"))
            .read();
    assertThat(read.rejected())
        .hasSize(6)
        .first()
        .asString()
        .endsWith(".csv.gz:102: timestamp_anon 'x' is not a number from 0 to 1000000000000");
  }

  @Test
  void refusesOtherFiles() throws IOException {
    Path file = Files.writeString(folder.resolve("other.csv"), "a,b,c\n1,2,3\n");
    assertThatThrownBy(() -> new AlibabaGenAiSource(file).read())
        .isInstanceOf(InputException.class)
        .hasMessageContaining("these columns are missing: timestamp_anon, value, container_ip");
    assertThatThrownBy(() -> new AlibabaGenAiSource(folder.resolve("none")).read())
        .isInstanceOf(InputException.class)
        .hasMessageContaining("does not exist");
    Path empty = Files.writeString(folder.resolve("empty.csv"), HEADER);
    assertThatThrownBy(() -> new AlibabaGenAiSource(empty).read())
        .isInstanceOf(InputException.class)
        .hasMessageContaining("no series of 100 samples");
  }

  @Test
  void readsRunsLineByLine() throws IOException {
    String sizes = "100,".repeat(11) + "200";
    Path file =
        Files.writeString(
            folder.resolve("runs.jsonl"),
            "{\"model\":\"Net\",\"util\":[1,2],\"interval_s\":0.5,\"mem_used_mib\":["
                + sizes
                + "],\"iter_ms\":3}\n\n"
                + "{\"model\":\"Net\",\"interval_s\":0.5,\"mem_used_mib\":[1]}\n"
                + "{\"interval_s\":0.5,\"mem_used_mib\":[-1,"
                + sizes
                + "]}\nnonsense\n{\"mem_used_mib\":["
                + sizes
                + "]}\n");
    SeriesSource.Result read = new SpreadSeriesSource(file).read();
    assertThat(read.devices()).hasSize(1);
    RecordedDevice run = read.devices().getFirst();
    assertThat(run.name()).isEqualTo("spread-series:1");
    assertThat(run.group()).isEqualTo("Net");
    assertThat(run.series().last().orElseThrow().used()).isEqualTo(MemorySize.ofMiB(200));
    assertThat(
            Duration.between(
                run.series().samples().get(0).at(), run.series().samples().get(1).at()))
        .isEqualTo(Duration.ofMillis(500));
    assertThat(read.rejected()).hasSize(4);
    assertThat(read.rejected().getFirst()).contains("runs.jsonl:3: has 1 samples");
    assertThat(read.rejected().get(1)).contains("has a size above the GPU memory");
    assertThat(read.rejected().get(2)).contains("is not valid JSON");
    assertThat(read.rejected().get(3)).contains("has no interval_s");
  }

  @Test
  void readsThePublishedTrace() {
    SeriesSource.Result read =
        new AlibabaGenAiSource(OutsideData.require("data/alibaba/genai-v2026")).read();
    assertThat(read.devices()).hasSize(88);
    assertThat(read.rejected()).isEmpty();
  }

  @Test
  void readsThePublishedRuns() {
    SeriesSource.Result read = new SpreadSeriesSource(OutsideData.require("data/spread")).read();
    assertThat(read.devices()).hasSizeGreaterThan(2_000);
  }
}
