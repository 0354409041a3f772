package dev.cotenant.datasets.series;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.domain.quantity.MemorySize;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SeriesCsvTest {
  private static final String SHORT = "timestamp_seconds,used_memory_bytes\n";
  private static final String LONG = "timestamp_seconds,used_memory_bytes,capacity_bytes\n";

  @TempDir private Path folder;

  @Test
  void readsSamplesAndTheNewestCapacity() throws IOException {
    SeriesCsv.Recorded recorded = read(LONG + "10,100,1000\n12.5,200.0,2000\n");
    assertThat(recorded.series().samples())
        .containsExactly(
            new MemorySample(Instant.ofEpochSecond(10), MemorySize.ofBytes(100)),
            new MemorySample(Instant.ofEpochSecond(12, 500_000_000), MemorySize.ofBytes(200)));
    assertThat(recorded.capacity()).isEqualTo(MemorySize.ofBytes(2000));
    assertThat(recorded.blanksDropped()).isZero();
  }

  @Test
  void hasNoCapacityWithoutItsColumn() throws IOException {
    assertThat(read(SHORT + "10,100\n").capacity()).isNull();
  }

  @Test
  void keepsTimestampsToTheNanosecond() throws IOException {
    SeriesCsv.Recorded recorded = read(SHORT + "1662858720.123456789,1\n1662858720.123456790,2\n");
    assertThat(recorded.series().samples().getFirst().at())
        .isEqualTo(Instant.ofEpochSecond(1_662_858_720L, 123_456_789));
  }

  @Test
  void understandsExponentsAndRoundsBytesUp() throws IOException {
    assertThat(read(SHORT + "1.6e3,7.5e9\n1601,0.2\n").series().samples())
        .containsExactly(
            new MemorySample(Instant.ofEpochSecond(1600), MemorySize.ofBytes(7_500_000_000L)),
            new MemorySample(Instant.ofEpochSecond(1601), MemorySize.ofBytes(1)));
  }

  @Test
  void acceptsMarksCarriageReturnsAndEmptyLines() throws IOException {
    String text = "\uFEFF" + SHORT + "\n1, 5 \n\n2,6\n\n";
    assertThat(read(text.replace("\n", "\r\n")).series().samples()).hasSize(2);
  }

  @Test
  void dropsAndCountsBlankSentinels() throws IOException {
    SeriesCsv.Recorded recorded =
        read(
            LONG
                + "1,9223372036854775794,1000\n"
                + "2,5,1000\n"
                + "3,5,9223372036854775792\n"
                + "4,1000000000000000,1000\n"
                + "5,999999999999999,1000\n");
    assertThat(recorded.blanksDropped()).isEqualTo(3);
    assertThat(recorded.series().samples()).hasSize(2);
  }

  @Test
  void readsAFileOfBlanksAsAnEmptySeries() throws IOException {
    SeriesCsv.Recorded recorded = read(LONG + "1,9223372036854775794,1000\n");
    assertThat(recorded.series().isEmpty()).isTrue();
    assertThat(recorded.capacity()).isNull();
    assertThat(recorded.blanksDropped()).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          1,NaN                  | 'used_memory_bytes ''NaN'' is not a number from 0 to 9223372036854775807'
          1,Infinity             | 'used_memory_bytes ''Infinity'' is not a number from 0 to 9223372036854775807'
          1,0x10                 | 'used_memory_bytes ''0x10'' is not a number from 0 to 9223372036854775807'
          1,5d                   | 'used_memory_bytes ''5d'' is not a number from 0 to 9223372036854775807'
          1,                     | used_memory_bytes is empty
          1,.                    | 'used_memory_bytes ''.'' is not a number from 0 to 9223372036854775807'
          1,1e999999999          | 'used_memory_bytes ''1e999999999'' is not a number from 0 to 9223372036854775807'
          1,-5                   | 'used_memory_bytes ''-5'' is not a number from 0 to 9223372036854775807'
          -1,5                   | 'timestamp_seconds ''-1'' is not a number from 0 to 253402300799'
          x,5                    | 'timestamp_seconds ''x'' is not a number from 0 to 253402300799'
          1662858720000,5        | 'timestamp_seconds ''1662858720000'' is not a number from 0 to 253402300799'
          1e-300,5               | timestamp_seconds has more than 60 decimals
          1                      | the row ends before column used_memory_bytes
          0.5,5                  | 'timestamp_seconds ''0.5'' is not later than the row before: sort the file, one row a timestamp'
          0.25,5                 | 'timestamp_seconds ''0.25'' is not later than the row before: sort the file, one row a timestamp'
          """)
  void namesFileAndLineOfABadRow(String row, String complaint) throws IOException {
    InputException thrown = fails(SHORT + "0.5,4\n" + row + "\n");
    assertThat(thrown.code()).isEqualTo("series-malformed");
    assertThat(thrown.kind()).isEqualTo(InputException.Kind.MALFORMED);
    assertThat(thrown).hasMessage(file() + ":3: " + complaint + ".");
  }

  @Test
  void checksTheOrderOfBlankRowsToo() throws IOException {
    assertThat(fails(SHORT + "2,9223372036854775794\n2,5\n")).hasMessageContaining(":3: ");
  }

  @Test
  void refusesACapacityOfZero() throws IOException {
    assertThat(fails(LONG + "1,5,0\n"))
        .hasMessageEndingWith(
            ":2: capacity_bytes '0' is not a number from 1 to 9223372036854775807.");
  }

  @Test
  void namesTheHeaderItExpects() throws IOException {
    assertThat(fails("time,used\n1,2\n"))
        .hasMessage(
            file() + ":1: these columns are missing: timestamp_seconds, used_memory_bytes.");
  }

  @Test
  void refusesEmptyFiles() throws IOException {
    for (String text : new String[] {"", "\n \n", "\uFEFF"}) {
      assertThat(fails(text).code()).isEqualTo("data-columns");
    }
    assertThat(fails(SHORT).code()).isEqualTo("series-empty");
  }

  @Test
  void refusesWhatIsNotAReadableTextFile() throws IOException {
    assertThat(failure(folder.resolve("absent.csv")).kind())
        .isEqualTo(InputException.Kind.NOT_FOUND);
    assertThat(failure(folder).code()).isEqualTo("series-too-large");
    Files.write(file(), new byte[] {(byte) 0xC3, 0x28});
    assertThat(failure(file())).hasMessageEndingWith("(it is not UTF-8 text).");
  }

  @Test
  void refusesMoreThanItCanHold() throws IOException {
    Files.write(file(), new byte[(32 << 20) + 1]);
    assertThat(failure(file()).kind()).isEqualTo(InputException.Kind.TOO_LARGE);
  }

  @Test
  void staysOnOneShortLineWhateverTheCellHolds() throws IOException {
    InputException thrown = fails(SHORT + "1,\u2028\u0007" + "x".repeat(100_000) + "\n");
    assertThat(thrown.getMessage().length()).isLessThan(file().toString().length() + 150);
    assertThat(thrown.getMessage()).doesNotContain("\u2028", "\u0007");
  }

  @Test
  void letsNothingButAnInputExceptionEscape() throws IOException {
    byte[] sound =
        (LONG + "1.5,100,1000\n2.5,9223372036854775794,1000\n3,7e9,8e9\n")
            .getBytes(StandardCharsets.UTF_8);
    Random random = new Random(10);
    int accepted = 0;
    for (int round = 0; round < 5_000; round++) {
      Files.write(file(), mutate(sound, random));
      accepted += readsOrComplains() ? 1 : 0;
    }
    assertThat(accepted).isBetween(1, 4_999);
  }

  private boolean readsOrComplains() {
    try {
      SeriesCsv.Recorded recorded = SeriesCsv.read(file());
      assertThat(recorded.series().samples().size() + recorded.blanksDropped()).isPositive();
      return true;
    } catch (InputException e) {
      assertThat(e.getMessage()).startsWith(file().toString()).doesNotContain("\n", "\r");
      return false;
    }
  }

  private static byte[] mutate(byte[] sound, Random random) {
    byte[] bytes = sound.clone();
    String interesting = "0123456789.,-+eE\n\r\t \"Nxd\0";
    for (int change = random.nextInt(4); change >= 0; change--) {
      int at = random.nextInt(bytes.length);
      switch (random.nextInt(4)) {
        case 0 -> bytes[at] = (byte) random.nextInt(256);
        case 1 -> bytes = Arrays.copyOf(bytes, at + 1);
        case 2 -> {
          int from = random.nextInt(bytes.length);
          int length = Math.min(random.nextInt(20), bytes.length - Math.max(from, at));
          System.arraycopy(bytes, from, bytes, at, length);
        }
        default -> bytes[at] = (byte) interesting.charAt(random.nextInt(interesting.length()));
      }
    }
    return bytes;
  }

  private Path file() {
    return folder.resolve("series.csv");
  }

  private SeriesCsv.Recorded read(String text) throws IOException {
    Files.writeString(file(), text);
    return SeriesCsv.read(file());
  }

  private InputException fails(String text) throws IOException {
    Files.writeString(file(), text);
    return failure(file());
  }

  private static InputException failure(Path path) {
    return catchThrowableOfType(InputException.class, () -> SeriesCsv.read(path));
  }
}
