package dev.cotenant.datasets.named;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.testing.OutsideData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * CARMA's table states what PyTorch's FakeTensor found alive after the forward pass of its own
 * networks. How it grows with the batch is what the graph says that training keeps, whatever else
 * was traced. Inception was traced at 224×224 and trained at 299×299.
 */
class KeptAgainstFakeTensorTest {
  private static final int ALIVE = 12;

  @Test
  void growsWithTheBatchAsTheTracedNetworksDo() throws IOException {
    Path file = OutsideData.require("data/carma").resolve("summary.csv");
    List<String> lines = Files.readAllLines(file);
    Map<String, Map<Integer, double[]>> networks = new TreeMap<>();
    for (ProfileRow row : new CarmaSource(file).read().rows()) {
      String[] cells = lines.get(line(row) - 1).split(",", -1);
      if (!cells[ALIVE].isBlank() && !row.topology().equals("inception_v3")) {
        networks
            .computeIfAbsent(cells[0], _ -> new HashMap<>())
            .put(row.features().batchSize(), amounts(row, cells));
      }
    }
    networks.values().removeIf(batches -> batches.size() < 3);
    assertThat(networks).hasSize(10);
    networks.forEach((network, batches) -> {
      double[] least = batches.getOrDefault(32, new double[2]);
      double[] most = batches.getOrDefault(128, new double[2]);
      assertThat((most[0] - least[0]) / (most[1] - least[1]))
          .as(network)
          .isCloseTo(1, within(0.02));
    });
  }

  private static int line(ProfileRow row) {
    return Integer.parseInt(row.source().substring(row.source().indexOf(':') + 1));
  }

  /** Kept and alive, in MiB. */
  private static double[] amounts(ProfileRow row, String... cells) {
    return new double[] {
      row.features().backward().saved().toMiB(), 1024 * Double.parseDouble(cells[ALIVE])
    };
  }
}
