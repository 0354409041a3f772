package dev.cotenant.datasets.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DataFileTest {
  /** Of "abc", by FIPS 180-2, appendix B.1. */
  private static final String ABC =
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

  @TempDir Path folder;

  private DataFile file(String text) throws IOException {
    return new DataFile(Files.writeString(folder.resolve("set.csv"), text));
  }

  @Test
  void hashesWhatItReads() throws IOException {
    assertThat(file("abc").readLines((_, _) -> {})).isEqualTo(ABC);
    assertThat(DataFile.sha256(List.of(folder.resolve("set.csv")))).isEqualTo(ABC);
    Path first = Files.writeString(folder.resolve("1"), "ab");
    Path second = Files.writeString(folder.resolve("2"), "c");
    assertThat(DataFile.sha256(List.of(first, second))).isEqualTo(ABC);
  }

  @Test
  void findsColumnsByNameSkipsBlankLinesAndListsWhatIsRefused() throws IOException {
    List<Long> seen = new ArrayList<>();
    List<String> rejected = new ArrayList<>();
    file("\uFEFFb, a ,c\n1,2,3\n\n4,x,6\n7,8\n")
        .readTable(List.of("a", "b"), row -> seen.add(row.integer("a", 0, 9)), rejected);

    assertThat(seen).containsExactly(2L, 8L);
    assertThat(rejected)
        .containsExactly(folder.resolve("set.csv") + ":4: a 'x' is not a whole number from 0 to 9");
  }

  @Test
  void readsAQuotedCellOverSeveralLinesAndKeepsCounting() throws IOException {
    List<String> places = new ArrayList<>();
    file("a,b\n\"one\ntwo\",1\nthree,2\n")
        .readTable(List.of("a"), row -> places.add(row.place()), new ArrayList<>());

    assertThat(places).containsExactly("set.csv:3", "set.csv:4");
  }

  @Test
  void opensAFolderByTheFileInIt() throws IOException {
    file("a\n1\n");
    assertThat(DataFile.in(folder, "set.csv").path()).isEqualTo(folder.resolve("set.csv"));
    try (OutputStream out =
        new GZIPOutputStream(Files.newOutputStream(folder.resolve("set.csv.gz")))) {
      out.write("a\n2\n".getBytes(StandardCharsets.UTF_8));
    }
    List<String> cells = new ArrayList<>();
    DataFile.in(folder, "set.csv")
        .readTable(List.of("a"), row -> cells.add(row.text("a")), new ArrayList<>());
    assertThat(cells).containsExactly("2");
    assertThat(DataFile.in(folder.resolve("set.csv"), "other").path())
        .isEqualTo(folder.resolve("set.csv"));
  }

  @ParameterizedTest
  @CsvSource({
    "'', data-columns",
    "'x,y\n1,2\n', data-columns",
  })
  void refusesWhatIsNoTable(String text, String code) throws IOException {
    DataFile file = file(text);
    assertThatThrownBy(() -> file.readTable(List.of("a"), _ -> {}, new ArrayList<>()))
        .isInstanceOfSatisfying(InputException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContaining("set.csv")
        .hasMessageNotContaining("\n");
  }

  @Test
  void listsRowsWithBrokenQuotesAndReadsTheOthers() throws IOException {
    DataFile file =
        file(
            """
            a,b
            "x, y","say ""hi\"""
            5 in ",6
            "one"two,3
            "7
            8",
            9,"
            10,11
            """);
    List<String> cells = new ArrayList<>();
    List<String> rejected = new ArrayList<>();
    file.readTable(
        List.of("a", "b"),
        row -> cells.add(row.line() + ":" + row.text("a") + "|" + row.textOrEmpty("b")),
        rejected);
    assertThat(cells).containsExactly("2:x, y|say \"hi\"", "3:5 in \"|6", "6:7\n8|", "8:10|11");
    assertThat(rejected)
        .hasSize(2)
        .allMatch(line -> line.contains(": a quotation mark has no end"))
        .anyMatch(line -> line.contains("set.csv:4: "))
        .anyMatch(line -> line.contains("set.csv:7: "));
  }

  @Test
  void looksForTheEndOfAQuoteInAFewLinesAlone() throws IOException {
    List<String> rejected = new ArrayList<>();
    List<String> cells = new ArrayList<>();
    file("a\n\"open\n" + "1\n".repeat(1_000) + "end\"\n")
        .readTable(List.of("a"), row -> cells.add(row.text("a")), rejected);
    assertThat(rejected).hasSize(1);
    assertThat(cells).hasSize(1_001);
  }

  @Test
  void refusesWhatIsNoTextNoArchiveOrNotThere() throws IOException {
    byte[] binary = new byte[100_000];
    Arrays.fill(binary, (byte) 0xfe);
    assertUnreadable(binary);
    assertUnreadable(new byte[] {0x1f, (byte) 0x8b, 1, 2, 3});
    assertUnreadable(new byte[] {0x1f, (byte) 0x8b});
    DataFile none = new DataFile(folder.resolve("none"));
    assertThatThrownBy(() -> none.readLines((_, _) -> {}))
        .isInstanceOfSatisfying(
            InputException.class, e -> assertThat(e.code()).isEqualTo("data-not-found"));
    assertThatThrownBy(() -> DataFile.sha256(List.of(none.path())))
        .isInstanceOf(InputException.class);
    assertThatThrownBy(() -> new DataFile(folder).readLines((_, _) -> {}))
        .isInstanceOf(InputException.class);
  }

  private void assertUnreadable(byte[] content) throws IOException {
    DataFile file = new DataFile(Files.write(folder.resolve("x"), content));
    assertThatThrownBy(() -> file.readTable(List.of("a"), _ -> {}, new ArrayList<>()))
        .isInstanceOfSatisfying(
            InputException.class, e -> assertThat(e.code()).isEqualTo("data-unreadable"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1e3|1000",
        " 5 |5",
        "NaN|",
        "Infinity|",
        "1e999|",
        "0x10|",
        "1d|",
        "--1|",
        "''|",
      })
  void takesNumbersThatAreOne(String cell, Double value) throws IOException {
    List<Double> seen = new ArrayList<>();
    List<String> rejected = new ArrayList<>();
    file("a,b\n" + cell + ",1\n")
        .readTable(List.of("a"), row -> seen.add(row.number("a", -1e6, 1e6)), rejected);

    if (value == null) {
      assertThat(seen).isEmpty();
      assertThat(rejected).hasSize(1);
    } else {
      assertThat(seen.getFirst()).isEqualTo(value);
    }
  }
}
