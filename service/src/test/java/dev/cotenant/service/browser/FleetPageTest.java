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
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page of a cluster with more GPUs than cards fit on it. */
@QuarkusTest
@TestProfile(FleetPageTest.ManyGpus.class)
class FleetPageTest {
  private static final int GPUS = 400;
  private static final int CARDS = 48;

  @TempDir private Path folder = Path.of("");

  @TestHTTPResource("/")
  private String page = "";

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
                    .put("name", tenant.path("name").textValue() + "-of-" + index));
        all.add(gpu);
      }
      return cluster.toString();
    }
  }

  @Test
  void drawsATileForEachGpuAndCardsOfTheFirst() throws Exception {
    try (Chromium chromium =
        Chromium.open(folder, page, "--dump-dom", "--virtual-time-budget=10000")) {
      String shown = chromium.outputToEnd();
      assertThat(count(shown, "data-gpu=\"GPU-")).as("tiles").isEqualTo(GPUS);
      assertThat(count(shown, "class=\"card\"")).as("cards").isEqualTo(CARDS);
      assertThat(shown)
          .contains("400 of 400 GPUs, the first 48 below", "<strong>400</strong> GPUs");
    }
  }

  private static long count(String text, String what) {
    return Pattern.compile(Pattern.quote(what)).matcher(text).results().count();
  }
}
