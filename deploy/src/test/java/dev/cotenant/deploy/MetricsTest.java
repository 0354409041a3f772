package dev.cotenant.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What is documented is registered, and what alerts and panels ask for is documented. */
class MetricsTest {
  private static final Pattern ROW =
      Pattern.compile(
          "(?m)^\\| `(cotenant_[a-z_]+)` \\| (counter|gauge|histogram|summary) \\| (.*?) \\|");
  private static final Pattern LITERAL = Pattern.compile("\"(cotenant\\.[a-z_.]*[a-z])\"");
  private static final Pattern LABEL = Pattern.compile("`([a-z_]+)`");

  /** What scraping adds to every series. */
  private static final Set<String> LABELS_OF_SCRAPES =
      Set.of("namespace", "service", "pod", "instance", "job", "le");

  private final Map<String, Documented> documented = documented();

  /** One row of the table. */
  private record Documented(String kind, Set<String> labels) {}

  private static Map<String, Documented> documented() {
    Map<String, Documented> all = new TreeMap<>();
    ROW.matcher(Chart.read("docs/metrics.md"))
        .results()
        .forEach(row -> {
          Set<String> labels = new TreeSet<>();
          LABEL.matcher(row.group(3)).results().forEach(label -> labels.add(label.group(1)));
          all.put(row.group(1), new Documented(row.group(2), labels));
        });
    return all;
  }

  @Test
  void everyMetricOfTheServiceIsDocumentedAndNoOther() throws IOException {
    Set<String> registered = registered();
    Set<String> described = new TreeSet<>();
    documented.forEach((name, metric) -> described.add(inCode(name, metric.kind(), registered)));

    assertThat(described).isEqualTo(registered);
  }

  /** Names in the code, with underscores: literals in sources that use the metrics library. */
  private static Set<String> registered() throws IOException {
    Set<String> names = new TreeSet<>();
    try (Stream<Path> files = Files.walk(Chart.file("service/src/main/java"))) {
      for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
        String source = Chart.read(file);
        if (source.contains("import io.micrometer.")) {
          LITERAL
              .matcher(source)
              .results()
              .forEach(literal -> names.add(literal.group(1).replace('.', '_')));
        }
      }
    }
    return names;
  }

  /** The exporter adds kinds and units to names. */
  private static String inCode(String name, String kind, Set<String> registered) {
    return switch (kind) {
      case "counter" -> name.replaceFirst("_total$", "");
      case "histogram", "summary" -> name.replaceFirst("_seconds$", "");
      default -> registered.contains(name) ? name : name.replaceFirst("_(seconds|bytes)$", "");
    };
  }

  @Test
  void everyAlertAsksForMetricsThatThereAre() {
    List<JsonNode> alerts = Alerts.of(Chart.render("prometheusRule: {enabled: true}"));

    assertThat(alerts).hasSizeGreaterThanOrEqualTo(9);
    alerts.forEach(alert -> asksForWhatThereIs(alert.path("expr").asText()));
  }

  @Test
  void everyPanelAsksForMetricsThatThereAre() {
    JsonNode dashboard =
        Manifests.parseOne(Chart.read("deploy/helm/cotenant/dashboards/cotenant.json"));

    List<JsonNode> expressions = dashboard.findValues("expr");
    assertThat(expressions).hasSizeGreaterThanOrEqualTo(dashboard.path("panels").size());
    expressions.forEach(expression -> asksForWhatThereIs(expression.asText()));
  }

  private void asksForWhatThereIs(String expression) {
    for (PromQl.Selector selector : PromQl.selectors(expression)) {
      String name = selector.metric();
      if (!name.equals("up")) {
        Documented metric = documented.get(family(name));
        assertThat(metric).as("%s of %s", name, expression).isNotNull();
        assertThat(suffixFits(name, metric.kind())).as("%s of %s", name, expression).isTrue();
        assertThat(selector.labels())
            .as(expression)
            .allMatch(
                label -> metric.labels().contains(label) || LABELS_OF_SCRAPES.contains(label));
      }
    }
  }

  private String family(String name) {
    return documented.containsKey(name) ? name : name.replaceFirst("_(bucket|sum|count|max)$", "");
  }

  private boolean suffixFits(String name, String kind) {
    return switch (kind) {
      case "histogram" -> !documented.containsKey(name);
      case "summary" -> !documented.containsKey(name) && !name.endsWith("_bucket");
      default -> documented.containsKey(name);
    };
  }
}
