package dev.cotenant.datasets.collector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.forecast.RecordedDevice;
import dev.cotenant.domain.forecast.SeriesSource;
import dev.cotenant.domain.quantity.MemorySize;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CollectorSeriesSourceTest {
  private static final String HEADER = "session,job,status,message,series";
  private static final String GOOD = "s1,bert/8/training/fp16,ok,,series/bert.csv";

  @TempDir Path folder;

  @BeforeEach
  void writeSeries() throws IOException {
    series("bert.csv", rows(12));
  }

  @Test
  void readsAJobsWholeLife() throws IOException {
    SeriesSource.Result result = read(GOOD);

    assertThat(result.rejected()).isEmpty();
    RecordedDevice device = result.devices().getFirst();
    assertThat(device.name()).isEqualTo("collector-series:s1:2");
    assertThat(device.group()).isEqualTo("bert");
    assertThat(device.capacity()).isEqualTo(MemorySize.ofBytes(1_000));
    assertThat(device.series().samples()).hasSize(12);
    assertThat(device.series().samples().get(3).at()).isEqualTo(Instant.ofEpochMilli(1_500));
    assertThat(device.series().samples().get(3).used()).isEqualTo(MemorySize.ofBytes(3));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        ",ok,,series/bert.csv|,unsupported,not told,|unsupported: not told",
        "series/bert.csv|series/none.csv|series series/none.csv is missing",
        "series/bert.csv|../../../etc/passwd|is not the path of a file below the folder",
        "bert/8/training/fp16|bert|is not MODEL/BATCH/MODE/PRECISION",
      })
  void saysWhyASeriesIsNotUsedAndGoesOn(String from, String to, String reason) throws IOException {
    SeriesSource.Result result = read(GOOD.replace(from, to), GOOD);

    assertThat(result.devices()).hasSize(1);
    assertThat(result.rejected())
        .singleElement()
        .asString()
        .startsWith(folder.resolve("memory.csv") + ":2: ")
        .contains(reason);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1.5,3,1000|0.2,3,1000|timestamp_seconds '0.2' is not later than the one before",
        "1.5,3,1000|1.5,1001,1000|used_memory_bytes '1001' is not a whole number from 0 to 1000",
        "1.5,3,1000|1.5,3,0|capacity_bytes '0' is not a whole number from 1",
        "1.5,3,1000|NaN,3,1000|timestamp_seconds 'NaN' is not a number",
        "1.5,3,1000|1e300,3,1000|timestamp_seconds '1e300' is not a number",
      })
  void aBrokenSampleSpoilsItsSeriesAlone(String from, String to, String reason) throws IOException {
    series("other.csv", rows(12).replace(from, to));

    SeriesSource.Result result = read(GOOD.replace("bert.csv", "other.csv"), GOOD);

    assertThat(result.devices()).hasSize(1);
    assertThat(result.rejected()).singleElement().asString().contains(reason);
  }

  @Test
  void tooFewSamplesAreNoSeries() throws IOException {
    series("bert.csv", rows(11));

    assertThatThrownBy(() -> read(GOOD))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("memory.csv names no usable series");
  }

  @Test
  void aSeriesThatIsNoTableIsNamed() throws IOException {
    series("other.csv", "nothing\n");

    assertThat(read(GOOD.replace("bert.csv", "other.csv"), GOOD).rejected())
        .singleElement()
        .asString()
        .contains("other.csv:1: these columns are missing: timestamp_seconds");
  }

  private static String rows(int samples) {
    return IntStream.range(0, samples)
        .mapToObj(i -> i * 0.5 + "," + i + ",1000\n")
        .collect(Collectors.joining());
  }

  private void series(String name, String rows) throws IOException {
    Path file = folder.resolve("series").resolve(name);
    Files.createDirectories(folder.resolve("series"));
    String header =
        rows.equals("nothing\n") ? "" : "timestamp_seconds,used_memory_bytes,capacity_bytes\n";
    Files.writeString(file, header + rows);
  }

  private SeriesSource.Result read(String... rows) throws IOException {
    Files.writeString(folder.resolve("memory.csv"), HEADER + "\n" + String.join("\n", rows) + "\n");
    return new CollectorSeriesSource(folder).read();
  }
}
