package dev.cotenant.datasets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.datasets.manifest.KnownSet;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.testing.GeneratedPart;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ImportersTest {
  @Test
  void standInThePageAboutSets() {
    GeneratedPart.check(
        "docs/datasets.md",
        "ImportersTest",
        List.of(
            "| what a set holds | formats |",
            "| --- | --- |",
            row("measured runs", Importers.RUNS),
            row("colocations", Importers.COLOCATIONS),
            row("used-memory series", Importers.SERIES),
            row("traces for `lab replay`", Importers.TRACES),
            row("step times for `evaluate step-time`", Importers.STEP_TIMES),
            row("memory of language models for `evaluate llm`", Importers.LANGUAGE_MODELS),
            row("sets of services for `evaluate plan`", Importers.PLANS)));
  }

  private static String row(String what, Importers<?> importers) {
    return importers.formats().stream()
        .map(format -> "`" + format + "`")
        .collect(Collectors.joining(", ", "| " + what + " | ", " |"));
  }

  @Test
  void readEveryKnownSet() {
    List<String> formats =
        Stream.of(Importers.RUNS, Importers.COLOCATIONS, Importers.SERIES)
            .flatMap(importers -> importers.formats().stream())
            .toList();

    assertThat(formats).doesNotHaveDuplicates();
    assertThat(KnownSet.all()).extracting(KnownSet::format).isSubsetOf(formats);
  }

  @Test
  void findPublishedSetsInTheirOrder(@TempDir Path folder) throws IOException {
    Files.createDirectories(folder.resolve("lucid"));
    Path config = Files.createDirectories(folder.resolve("igniter")).resolve("config.jsonl");
    Files.writeString(config, "");

    assertThat(Importers.COLOCATIONS.publishedIn(folder))
        .containsExactly("igniter-config:" + config, "lucid-pairs:" + folder.resolve("lucid"));
  }

  @Test
  void openAPathThatHoldsAColon(@TempDir Path folder) throws IOException {
    Path file = Files.createFile(folder.resolve("a:b.csv"));

    assertThat(Importers.COLOCATIONS.open("glet:" + file).files()).containsExactly(file);
  }

  @Test
  void nameThePathThatDoesNotExistAndNoFileBesideIt() {
    assertThatThrownBy(() -> Importers.COLOCATIONS.open("lucid-pairs:/nope"))
        .isInstanceOf(InputException.class)
        .hasMessage("/nope does not exist.");
  }

  @Test
  void nameTheFormatsWhereOneIsUnknown() {
    assertThatThrownBy(() -> Importers.SERIES.open("lucid:x.csv"))
        .isInstanceOf(InputException.class)
        .hasMessage(
            "Unknown format 'lucid': use one of alibaba-genai, spread-series, collector-series.");
    assertThatThrownBy(() -> Importers.SERIES.open("spread-series"))
        .hasMessage("'spread-series' is not FORMAT:PATH, such as alibaba-genai:FILE.");
  }
}
