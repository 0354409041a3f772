package dev.cotenant.cli.service;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.cotenant.cli.demo.DemoAddress;
import dev.cotenant.cli.demo.DemoCluster;
import dev.cotenant.cli.files.Installation;
import dev.cotenant.cli.terminal.Console;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.EngineSettings;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DemoReportTest {
  private static final int WIDTH = 60;
  private static final Path ROOT = Path.of(System.getProperty("cotenant.root"));

  private static JsonNode explanation(String decision) throws IOException {
    return new ObjectMapper()
        .readTree(
            """
            {"prediction": {"utilization_percent": {"mean": 81.3, "upper": 97.2},
                            "peak_memory_bytes": {"mean": 4000000000, "upper": 9000000000}},
             "reason_count": 18, "decision": %s}
            """
                .formatted(decision));
  }

  @Test
  void fitsANarrowTerminal() throws IOException {
    PodAnswer admitted = new PodAnswer.Admitted(Map.of());
    String grant = "{'gpu': 'GPU-5f3a0006-0000-4000-8000-000000000006', 'node': 'gpu-2'}";
    List<DemoReport.Row> rows =
        List.of(
            new DemoReport.Row(
                "team-a/resnet18-training",
                admitted,
                explanation(json("{'result': 'Admitted', 'grants': [" + grant + "]}"))),
            new DemoReport.Row(
                "team-b/densenet121-big-batch",
                admitted,
                explanation(
                    json(
                        "{'result': 'Held', 'reasons': [{'code': 'MemoryForecastExceeded',"
                            + " 'message': 'why'}]}"))),
            new DemoReport.Row(
                "team-c/unknown-model",
                new PodAnswer.Refused(List.of("1. ModelUnknown: it is not registered")),
                MissingNode.getInstance()));
    StringWriter text = new StringWriter();
    PrintWriter out = new PrintWriter(text);

    try (DemoAddress address = new DemoAddress();
        DemoCluster cluster =
            new DemoCluster(
                address,
                Engine.lazy(EngineSettings.DEFAULT)
                    .readCluster(new Installation(ROOT).busyCluster()),
                InstantSource.system());
        ServiceClient client = new ServiceClient(new ServiceOptions())) {
      new DemoReport(
              Console.ofWriters(out, out).ofWidth(WIDTH), new DemoPods(client, cluster, ROOT))
          .print(rows);
    }

    assertThat(text.toString().lines().takeWhile(line -> !line.isEmpty()))
        .hasSizeGreaterThan(5)
        .allMatch(line -> line.length() <= WIDTH)
        .anyMatch(line -> line.contains("GPU-5f3a0006"))
        .anyMatch(line -> line.contains("first of 18 reasons"))
        .anyMatch(line -> line.contains("ModelUnknown"));
  }

  private static String json(String text) {
    return text.replace('\'', '"');
  }
}
