package dev.cotenant.service.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.service.RunningService;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The page of a cluster with many GPUs, and pods with hostile names. */
@QuarkusTest
@TestProfile(FleetPageTest.ManyGpus.class)
class FleetPageTest {
  /** What the page is to show at once. */
  private static final int GPUS = Integer.getInteger("cotenant.page.gpus", 10_000);

  /** On a machine that does nothing else. */
  private static final double FIRST_MILLISECONDS = 1_500;

  private static final double UPDATE_MILLISECONDS = 100;

  /** So many times as long it may take where other builds run beside it. */
  private static final double ALLOWANCE =
      Double.parseDouble(System.getProperty("cotenant.page.allowance", "1"));

  private static final int UPDATES = 5;
  private static final int ROWS = 50;
  private static final String HOSTILE = "<img src=x onerror=window.hit=1>";

  @TestHTTPResource("/")
  private String address = "";

  /** A service whose cluster repeats that of the other tests, with names of their own. */
  public static final class ManyGpus extends RunningService {
    @Override
    public Map<String, String> getConfigOverrides() {
      Map<String, String> configuration = super.getConfigOverrides();
      Path recorded = root().resolve(configuration.getOrDefault("cotenant.cluster.recorded", ""));
      try {
        Path many = Files.createTempDirectory("fleet").resolve("cluster.json");
        Files.writeString(many, repeated(recorded));
        configuration.put("cotenant.cluster.recorded", many.toString());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return configuration;
    }

    private static String repeated(Path recorded) throws IOException {
      ObjectMapper json = new ObjectMapper();
      ObjectNode cluster = (ObjectNode) json.readTree(Files.readAllBytes(recorded));
      JsonNode gpus = cluster.path("gpus");
      ArrayNode all = cluster.putArray("gpus");
      for (int i = 0; i < GPUS; i++) {
        int index = i;
        ObjectNode gpu = gpus.get(i % gpus.size()).deepCopy();
        gpu.put("uuid", "GPU-" + i).put("node", "node-" + i / 8);
        gpu.path("tenants")
            .forEach(tenant ->
                ((ObjectNode) tenant)
                    .put("name", tenant.path("name").textValue() + "-of-" + index + HOSTILE));
        all.add(gpu);
      }
      return cluster.toString();
    }
  }

  @Test
  void drawsATileForEachGpuAndRowsOfTheFirst() throws Exception {
    try (DevTools page = DevTools.open(address + "#/gpus", 1280, 900)) {
      page.await("document.querySelector('canvas')?.dataset.tiles === '" + GPUS + "'");
      page.awaitText(written(GPUS) + " of " + written(GPUS) + " GPUs");
      assertThat(page.evaluate("document.querySelectorAll('tbody tr').length").asInt())
          .isEqualTo(ROWS);

      page.go(address + "#/gpus?filter=node-7+a100");
      page.awaitText("8 of " + written(GPUS) + " GPUs");
      assertThat(page.complaints()).isEmpty();
    }
  }

  @Test
  void findsTheLastOfManyPods() throws Exception {
    try (DevTools page = DevTools.open(address + "#/pods", 1280, 900)) {
      page.awaitText("The first 100 of ");
      String rows = "document.querySelectorAll('section')[1].querySelectorAll('tbody tr').length";
      assertThat(page.evaluate(rows).asInt()).isEqualTo(100);
      page.evaluate(
          "[...document.querySelectorAll('button')].find(one => one.textContent === 'Show more')"
              + ".click()");
      page.await(rows + " === 200");

      page.go(address + "#/pods?filter=-of-" + lastShared() + "%3C");
      page.await(rows + " > 0 && " + rows + " < 10");
      assertThat(page.text()).contains("-of-" + lastShared() + HOSTILE);
      assertThat(page.complaints()).isEmpty();
    }
  }

  /** The last GPU that has a tenant. */
  private static int lastShared() throws IOException {
    JsonNode gpus =
        new ObjectMapper()
            .readTree(
                Files.readAllBytes(
                    RunningService.root().resolve("service/src/test/resources/cluster.json")))
            .path("gpus");
    int last = GPUS - 1;
    while (gpus.get(last % gpus.size()).path("tenants").isEmpty()) {
      last--;
    }
    return last;
  }

  private static String written(int number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  /**
   * From the navigation to the first drawing, and from an event that changes every tenth GPU to its
   * drawing, the parsing of its text included.
   */
  @Tag("long")
  @ParameterizedTest
  @CsvSource({"#/gpus, canvas", "#/, .tile"})
  void drawsSoManyGpusInTime(String view, String drawn) throws Exception {
    try (DevTools page = DevTools.open("about:blank", 1280, 900)) {
      page.inEveryPage(resource("/browser/stopwatch.js"));
      page.go(address + view);
      page.await("document.querySelector('" + drawn + "') && window.stopwatch?.first > 0");
      double first = page.evaluate("stopwatch.first").asDouble();
      double[] updates = new double[UPDATES];
      for (int i = 0; i < UPDATES; i++) {
        updates[i] = page.evaluate("stopwatch.update()").asDouble();
      }
      Arrays.sort(updates);
      System.out.printf(
          Locale.ROOT,
          "%s with %d GPUs: drawn %.0f ms after the navigation, %.0f ms after an event of %d GPUs"
              + " (median of %d), %.0f ms (worst)%n",
          view,
          GPUS,
          first,
          updates[UPDATES / 2],
          GPUS / 10,
          UPDATES,
          updates[UPDATES - 1]);
      assertThat(first).isPositive().isLessThan(ALLOWANCE * FIRST_MILLISECONDS);
      assertThat(updates[UPDATES / 2]).isPositive().isLessThan(ALLOWANCE * UPDATE_MILLISECONDS);
      assertThat(page.complaints()).isEmpty();
    }
  }

  private static String resource(String name) throws IOException {
    try (InputStream in = FleetPageTest.class.getResourceAsStream(name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** Names are chosen by users: they are text wherever they appear. */
  @Test
  void showsHostileNamesAsText() throws Exception {
    for (String view : new String[] {"#/", "#/gpus", "#/pods", "#/gpus/GPU-0"}) {
      try (DevTools page = DevTools.open(address + view, 1280, 900)) {
        page.awaitText(view.equals("#/") ? "GPUs saved" : HOSTILE);
        assertThat(
                page.evaluate("document.querySelectorAll('img, script:not([src])').length").asInt())
            .isZero();
        assertThat(page.evaluate("typeof window.hit").asText()).isEqualTo("undefined");
        assertThat(page.complaints()).isEmpty();
      }
    }
  }
}
