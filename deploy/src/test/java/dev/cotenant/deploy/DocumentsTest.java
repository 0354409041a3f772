package dev.cotenant.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.testing.GeneratedPart;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Documents name every reason and alert, and their links lead to files and headings. */
class DocumentsTest {
  private static final Path PAGES = Chart.file("docs/troubleshooting");
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)#\\s]*)(#[^)\\s]*)?\\)");
  private static final Pattern TEST = Pattern.compile("`([A-Z]\\w+Test\\.\\w+)`");
  private static final Pattern METHOD = Pattern.compile("(?m)^  void (\\w+)\\(");
  private static final Pattern WORDS =
      Pattern.compile("(?m)^\\*\\*On the web page:\\*\\* \\*([^*\"]+)\\*; \\*([^*\"]+)\\*\\.$");
  private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");

  /** The only reason that goes by another's code, which its documentation says. */
  private static final String OTHER_CODE = "PredictedMemoryExceeded";

  @Test
  void thereIsAPageForEveryReasonAndNoOther() throws IOException {
    Set<String> pages = new TreeSet<>();
    try (Stream<Path> files = Files.list(PAGES)) {
      files.map(file -> file.getFileName().toString().replace(".md", "")).forEach(pages::add);
    }
    pages.remove("README");
    pages.remove("alerts");

    assertThat(pages).isEqualTo(codes());
  }

  private static Set<String> codes() {
    Set<String> codes = new TreeSet<>();
    collect(Reason.class, codes);
    codes.remove(OTHER_CODE);
    return codes;
  }

  private static void collect(Class<?> type, Set<String> codes) {
    if (type.isRecord()) {
      codes.add(type.getSimpleName());
    } else {
      for (Class<?> permitted : type.getPermittedSubclasses()) {
        collect(permitted, codes);
      }
    }
  }

  @Test
  void everyPageOfAReasonHasAMessageAndWhatToDo() {
    List<String> index = new ArrayList<>(List.of("| code | meaning |", "|---|---|"));
    for (String code : codes()) {
      String page = Chart.read(PAGES.resolve(code + ".md"));
      assertThat(page)
          .startsWith("# " + code + "\n")
          .contains("\n## Message\n```\n")
          .contains("\n## What to do\n", "**Pod owner:**", "**Cluster administrator:**");
      index.add("| [" + code + "](" + code + ".md) | " + firstSentence(page) + " |");
    }
    GeneratedPart.check("docs/troubleshooting/README.md", "DocumentsTest", index);
  }

  /** What the web page says for a code, and what would let the pod run. */
  @Test
  void theWebPageHasTheWordsOfEveryReason() {
    List<String> words = new ArrayList<>();
    for (String code : codes()) {
      Matcher found = WORDS.matcher(Chart.read(PAGES.resolve(code + ".md")));
      assertThat(found.find()).as("words of %s for the web page", code).isTrue();
      words.add("  " + code + ": [\"" + found.group(1) + "\", \"" + found.group(2) + "\"],");
    }
    GeneratedPart.check(
        "service/src/main/resources/dev/cotenant/service/page/format.js", "DocumentsTest", words);
  }

  private static String firstSentence(String page) {
    String text = page.substring(page.indexOf("\n\n") + 2).replace('\n', ' ');
    return text.substring(0, text.indexOf(". "));
  }

  @Test
  void everyAlertHasARunbook() {
    String page = Chart.read(PAGES.resolve("alerts.md"));
    Manifests rendered = Chart.render("prometheusRule: {enabled: true}");

    Set<String> described = new TreeSet<>();
    for (JsonNode alert : Alerts.of(rendered)) {
      String name = alert.path("alert").asText();
      described.add(name);
      assertThat(page).contains("\n## " + name + "\n");
      assertThat(alert.path("annotations").path("runbook_url").asText())
          .endsWith("docs/troubleshooting/alerts.md#" + name.toLowerCase(Locale.ROOT));
    }
    assertThat(HEADING.matcher(page).results().map(found -> found.group(1)).skip(1))
        .containsExactlyInAnyOrderElementsOf(described);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "README.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "benchmarks/README.md",
        "deploy/README.md",
        "e2e/README.md",
        "datasets/collector/README.md",
        "python/README.md"
      })
  void linksLeadSomewhere(String document) {
    links(Chart.file(document));
  }

  @ParameterizedTest
  @ValueSource(strings = {"docs", "docs/adr", "docs/troubleshooting"})
  void linksOfEveryPageLeadSomewhere(String folder) throws IOException {
    try (Stream<Path> files = Files.list(Chart.file(folder))) {
      files.filter(file -> file.toString().endsWith(".md")).forEach(DocumentsTest::links);
    }
  }

  /** The page says what works by naming tests. */
  @Test
  void everyTestOnThePageOfDevicesExists() throws IOException {
    Set<String> sources = new TreeSet<>();
    for (String module : List.of("admission", "admission-kubernetes", "cli")) {
      try (Stream<Path> files = Files.walk(Chart.file(module + "/src/test/java"))) {
        files
            .filter(file -> file.toString().endsWith("Test.java"))
            .forEach(file -> tests(file, sources));
      }
    }
    Set<String> named = new TreeSet<>();
    TEST.matcher(Chart.read("docs/devices.md")).results().forEach(m -> named.add(m.group(1)));

    assertThat(named).isNotEmpty();
    assertThat(sources).containsAll(named);
  }

  private static void tests(Path file, Set<String> into) {
    String type = file.getFileName().toString().replace(".java", ".");
    METHOD.matcher(Chart.read(file)).results().forEach(m -> into.add(type + m.group(1)));
  }

  @Test
  void everyDecisionHasADateAndAStatus() throws IOException {
    try (Stream<Path> files = Files.list(Chart.file("docs/adr"))) {
      files.forEach(file ->
          assertThat(Chart.read(file))
              .as("%s", file)
              .containsPattern("(?m)\\A# \\d+\\. .+\\n\\nDate: \\d{4}-\\d{2}-\\d{2}\\. Status: "));
    }
  }

  private static void links(Path document) {
    Matcher links = LINK.matcher(Chart.read(document));
    while (links.find()) {
      String target = links.group(1);
      if (!target.startsWith("http")) {
        Path file = target.isEmpty() ? document : document.resolveSibling(target).normalize();
        assertThat(file).as("link in %s", document).exists();
        if (links.group(2) != null) {
          assertThat(anchors(file)).as("link in %s", document).contains(links.group(2));
        }
      }
    }
  }

  private static Set<String> anchors(Path file) {
    Set<String> anchors = new TreeSet<>();
    HEADING
        .matcher(Chart.read(file))
        .results()
        .map(found -> found.group(1).toLowerCase(Locale.ROOT))
        .forEach(
            heading -> anchors.add("#" + heading.replaceAll("[^a-z0-9 -]", "").replace(' ', '-')));
    return anchors;
  }

  @Test
  void everyKeyOfTheChartIsUsed() {
    JsonNode values = Manifests.parseOne(Chart.read("deploy/helm/cotenant/values.yaml"));
    JsonNode schema = Manifests.parseOne(Chart.read("deploy/helm/cotenant/values.schema.json"));

    values
        .fieldNames()
        .forEachRemaining(
            key -> assertThat(schema.path("properties").has(key)).as("schema of %s", key).isTrue());
    schema
        .path("properties")
        .fieldNames()
        .forEachRemaining(key ->
            assertThat(values.has(key) || key.equals("global")).as("value of %s", key).isTrue());
  }
}
