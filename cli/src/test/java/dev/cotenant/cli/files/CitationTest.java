package dev.cotenant.cli.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/**
 * The required keys of the Citation File Format 1.2.0, and the papers of {@code docs/papers.md}.
 */
class CitationTest {
  private static final Path ROOT = Path.of("..");

  private static Map<?, ?> citation() throws IOException {
    Yaml yaml = new Yaml(new SafeConstructor(new LoaderOptions()));
    return (Map<?, ?>) yaml.load(Files.readString(ROOT.resolve("CITATION.cff")));
  }

  private static List<Map<?, ?>> references(Map<?, ?> citation) {
    List<Map<?, ?>> references = new ArrayList<>();
    for (Object reference : (List<?>) Objects.requireNonNull(citation.get("references"))) {
      references.add((Map<?, ?>) reference);
    }
    return references;
  }

  @Test
  void hasTheKeysOfItsFormat() throws IOException {
    Map<?, ?> citation = citation();

    assertThat(citation.get("cff-version")).isEqualTo("1.2.0");
    assertThat(citation.get("type")).isEqualTo("software");
    assertThat(citation.get("message")).asString().isNotBlank();
    assertThat(citation.get("title")).isEqualTo("Cotenant");
    assertThat((List<?>) citation.get("authors")).isNotEmpty();
    assertThat(Files.readString(ROOT.resolve("pom.xml")))
        .contains("<version>" + citation.get("version"));
  }

  @Test
  void citesTheFivePapersOfTheLab() throws IOException {
    String papers = Files.readString(ROOT.resolve("docs/papers.md")).replaceAll("\\s+", " ");
    List<Map<?, ?>> references = references(citation());

    assertThat(references).hasSize(5);
    assertThat(references)
        .allSatisfy(reference -> {
          assertThat(Set.of("article", "conference-paper"))
              .contains(String.valueOf(reference.get("type")));
          assertThat((List<?>) reference.get("authors"))
              .isNotEmpty()
              .allSatisfy(author ->
                  assertThat(((Map<?, ?>) author).keySet())
                      .extracting(String::valueOf)
                      .containsExactly("family-names", "given-names"));
          assertThat(reference.get("year")).isInstanceOf(Integer.class);
          assertThat(papers).contains(String.valueOf(reference.get("title")));
        });
  }
}
