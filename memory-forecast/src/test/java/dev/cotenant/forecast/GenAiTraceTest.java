package dev.cotenant.forecast;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.testing.OutsideData;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

/** The formulas on 98 production series of the Alibaba GenAI trace (57 s steps, 22.8 h). */
class GenAiTraceTest {
  private static final int MIN_SAMPLES = 100;

  @Test
  void unclampedAutoregressionLosesToPersistence() throws IOException {
    List<double[]> series = longSeries();
    assertThat(series).hasSize(88);
    double persistence = meanAbsoluteError(series, 60, window -> window[window.length - 1]);
    double overFive = meanAbsoluteError(series, 5, GenAiTraceTest::autoregression);
    double overSixty = meanAbsoluteError(series, 60, GenAiTraceTest::autoregression);
    assertThat(overFive).isGreaterThan(3 * persistence);
    assertThat(overSixty).isBetween(persistence, 1.2 * persistence);
  }

  private interface PointForecast {
    double next(double[] window);
  }

  private static double autoregression(double[] window) {
    double last = window[window.length - 1];
    return FirstOrderAutoregression.fit(List.of(window)).map(fit -> fit.next(last)).orElse(last);
  }

  private static double meanAbsoluteError(
      List<double[]> series, int samples, PointForecast forecast) {
    double sum = 0;
    long count = 0;
    for (double[] values : series) {
      for (int end = samples; end < values.length; end++) {
        double[] window = Arrays.copyOfRange(values, end - samples, end);
        sum += Math.abs(forecast.next(window) - values[end]);
        count++;
      }
    }
    return sum / count / (1 << 20);
  }

  private static List<double[]> longSeries() throws IOException {
    return read().values().stream()
        .filter(byTime -> byTime.size() >= MIN_SAMPLES)
        .map(byTime -> byTime.values().stream().mapToDouble(Double::doubleValue).toArray())
        .toList();
  }

  private static Map<String, SortedMap<Double, Double>> read() throws IOException {
    Path file =
        OutsideData.require("data/alibaba/genai-v2026/pod_gpu_memory_used_bytes_anon.csv.gz");
    Map<String, SortedMap<Double, Double>> pods = new TreeMap<>();
    try (BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(
                new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.UTF_8))) {
      reader.readLine();
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        String[] cells = line.split(",", -1);
        pods.computeIfAbsent(cells[2], pod -> new TreeMap<>())
            .put(Double.parseDouble(cells[0]), Double.parseDouble(cells[1]));
      }
    }
    return pods;
  }
}
