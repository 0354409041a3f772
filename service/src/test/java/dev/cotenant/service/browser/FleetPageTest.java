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
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page of a cluster with many GPUs, and pods with hostile names. */
@QuarkusTest
@TestProfile(FleetPageTest.ManyGpus.class)
class FleetPageTest {
  /** With 10,000 the times that are printed are those of the benchmark. */
  private static final int GPUS = Integer.getInteger("cotenant.page.gpus", 400);

  private static final int REDRAWS = 15;
  private static final int ROWS = 50;
  private static final String HOSTILE = "<img src=x onerror=window.hit=1>";

  @TempDir private Path folder = Path.of("");

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
    try (DevTools page = DevTools.open(folder, address + "#/gpus", 1280, 900)) {
      page.await("document.querySelector('canvas')?.dataset.tiles === '" + GPUS + "'");
      page.awaitText(GPUS + " of " + GPUS + " GPUs");
      assertThat(page.evaluate("document.querySelectorAll('tbody tr').length").asInt())
          .isEqualTo(ROWS);

      report(page);

      page.go(address + "#/gpus?filter=node-7+a100");
      page.awaitText("8 of " + GPUS + " GPUs");
      assertThat(page.complaints()).isEmpty();
    }
  }

  /** Times of the first drawing since the navigation, and of a whole redrawing. */
  private static void report(DevTools page) throws Exception {
    double first = page.evaluate("+main.dataset.firstDrawnMilliseconds").asDouble();
    double[] redraws = new double[REDRAWS];
    for (int i = 0; i < REDRAWS; i++) {
      redraws[i] =
          page.evaluate("dispatchEvent(new Event('resize')), +main.dataset.drawMilliseconds")
              .asDouble();
    }
    Arrays.sort(redraws);
    System.out.printf(
        Locale.ROOT,
        "page with %d GPUs: drawn %.0f ms after the navigation, redrawn in %.1f ms (median of %d),"
            + " %.1f ms (worst)%n",
        GPUS,
        first,
        redraws[REDRAWS / 2],
        REDRAWS,
        redraws[REDRAWS - 1]);
  }

  /** Names are chosen by users: they are text wherever they appear. */
  @Test
  void showsHostileNamesAsText() throws Exception {
    for (String view : new String[] {"#/", "#/gpus", "#/pods", "#/gpus/GPU-0"}) {
      try (DevTools page = DevTools.open(folder, address + view, 1280, 900)) {
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
