package dev.cotenant.forecast.prometheus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.domain.quantity.MemorySize;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What real exporters and servers do that a naive reader takes for truth, one test each. */
class PitfallsTest {
  private static final Instant NOW = Instant.ofEpochSecond(1_700_000_010);

  @TempDir private Path folder;
  private FakePrometheus server;

  @BeforeEach
  void start() throws IOException {
    server = new FakePrometheus();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private MetricsReading.Fetched read() {
    return read(server.settings());
  }

  private static MetricsReading.Fetched read(PrometheusSettings settings) {
    try (PrometheusClient client = new PrometheusClient(settings)) {
      return (MetricsReading.Fetched) client.read(NOW);
    }
  }

  private static List<Double> usedMib(DeviceMetrics device) {
    return device.used().samples().stream().map(s -> s.used().toMiB()).toList();
  }

  private static String newest(String quantity, String labels, String value) {
    return "{\"metric\":{\"cotenant_quantity\":\""
        + quantity
        + "\","
        + labels
        + "},\"value\":[1700000010,\""
        + value
        + "\"]}";
  }

  private static String series(String labels, String values) {
    return "{\"metric\":{" + labels + "},\"values\":[" + values + "]}";
  }

  @Test
  void asksOnceForAllDevicesWithAPostedForm() {
    read();
    assertThat(server.requests()).hasSize(2);
    FakePrometheus.Request range = server.requests().getFirst();
    assertThat(range.method()).isEqualTo("POST");
    assertThat(range.path()).isEqualTo("/api/v1/query_range");
    assertThat(range.headers()).containsEntry("Content-type", "application/x-www-form-urlencoded");
    assertThat(range.form())
        .containsEntry("query", "max by (UUID, GPU_I_ID) (DCGM_FI_DEV_FB_USED)")
        .containsEntry("step", "30");
    assertThat(server.requests().getLast().path()).isEqualTo("/api/v1/query");
  }

  @Test
  void alignsStartAndEndToTheStepSoThatAnswersCanBeCached() {
    read();
    Map<String, String> form = server.requests().getFirst().form();
    // 1,700,000,010 is 0 modulo 30; 60 samples reach back 59 steps
    assertThat(form).containsEntry("end", "1700000010").containsEntry("start", "1699998240");
  }

  @Test
  void takesTheMaximumAndNeverTheSumOverPods() {
    read();
    for (FakePrometheus.Request request : server.requests()) {
      assertThat(request.form().get("query")).contains("max by (UUID").doesNotContain("sum");
    }
    // one device value repeated for each of two pods
    server.newest(
        newest("used", "\"UUID\":\"GPU-1\",\"pod\":\"a\",\"namespace\":\"x\"", "1000")
            + ","
            + newest("used", "\"UUID\":\"GPU-1\",\"pod\":\"b\",\"namespace\":\"x\"", "1000")
            + ","
            + newest("free", "\"UUID\":\"GPU-1\",\"pod\":\"a\",\"namespace\":\"x\"", "3000"));
    DeviceMetrics device = read().devices().getFirst();
    assertThat(device.capacity()).isEqualTo(MemorySize.ofMiB(4000));
    assertThat(device.pods()).containsExactly("x/a", "x/b");
  }

  @Test
  void countsTheLargestWherePerProcessSeriesStandBesideTheDevice() {
    server.newest(
        newest("used", "\"UUID\":\"GPU-1\"", "9000")
            + ","
            + newest("used", "\"UUID\":\"GPU-1\",\"pod\":\"a\"", "4000")
            + ","
            + newest("free", "\"UUID\":\"GPU-1\"", "6000"));
    assertThat(read().devices().getFirst().capacity()).isEqualTo(MemorySize.ofMiB(15_000));
  }

  @Test
  void understandsBothDialectsOfLabels() {
    server.newest(
        newest(
                "used",
                "\"UUID\":\"GPU-new\",\"hostname\":\"n1\",\"pod\":\"dcgm-exporter-x\","
                    + "\"namespace\":\"gpu-operator\",\"exported_pod\":\"train\","
                    + "\"exported_namespace\":\"team\"",
                "5")
            + ","
            + newest(
                "used",
                "\"UUID\":\"GPU-old\",\"Hostname\":\"n2\",\"pod\":\"serve\",\"namespace\":\"team\"",
                "5"));
    List<DeviceMetrics> devices = read().devices();
    assertThat(devices).extracting(DeviceMetrics::node).containsExactly("n1", "n2");
    assertThat(devices)
        .extracting(DeviceMetrics::pods)
        .containsExactly(List.of("team/train"), List.of("team/serve"));
  }

  @Test
  void keepsOneSeriesADeviceWhenItsPodChanges() {
    // split by pod change: the server aggregates, but one that does not is understood, too
    server.series(
        series("\"UUID\":\"GPU-1\",\"pod\":\"a\"", "[1700000000,\"10\"],[1700000030,\"20\"]")
            + ","
            + series("\"UUID\":\"GPU-1\",\"pod\":\"b\"", "[1700000030,\"15\"]"));
    MetricsReading.Fetched reading = read();
    assertThat(usedMib(reading.devices().getFirst())).containsExactly(10.0, 20.0);
    assertThat(reading.dropped().repeated()).isEqualTo(1);
  }

  @Test
  void dropsBlankSentinelsNotNumbersAndNegatives() {
    server.series(
        series(
            "\"UUID\":\"GPU-1\"",
            "[1699999950,\"9223372036854775794\"],[1699999960,\"NaN\"],[1699999970,\"+Inf\"],"
                + "[1699999980,\"-1\"],[1699999990,\"7\"]"));
    MetricsReading.Fetched reading = read();
    assertThat(usedMib(reading.devices().getFirst())).containsExactly(7.0);
    assertThat(reading.dropped()).isEqualTo(new DroppedSamples(1, 2, 1, 0, 0, 0));
  }

  @Test
  void dropsUtilizationAbove100AndSizesAboveTheDevice() {
    server
        .series(series("\"UUID\":\"GPU-1\"", "[1699999980,\"50\"],[1699999990,\"5000\"]"))
        .newest(
            newest("used", "\"UUID\":\"GPU-1\"", "60")
                + ","
                + newest("free", "\"UUID\":\"GPU-1\"", "40")
                + ","
                + newest("utilization", "\"UUID\":\"GPU-1\"", "117"));
    MetricsReading.Fetched reading = read();
    assertThat(reading.devices().getFirst().utilization()).isNull();
    assertThat(usedMib(reading.devices().getFirst())).containsExactly(50.0);
    assertThat(reading.dropped().outOfRange()).isEqualTo(2);
  }

  @Test
  void dropsSecondValuesOfOneInstant() {
    server.series(
        series("\"UUID\":\"GPU-1\"", "[1699999980,\"5\"],[1699999980,\"6\"],[1699999970,\"7\"]"));
    MetricsReading.Fetched reading = read();
    assertThat(usedMib(reading.devices().getFirst())).containsExactly(5.0);
    assertThat(reading.dropped().repeated()).isEqualTo(2);
  }

  @Test
  void tellsASamplesAgeByItsTimestampAndNotByItsPresence() {
    // scraped last at …902, repeated by the server's lookback at …920, …950 and …980
    server
        .series(
            series(
                "\"UUID\":\"GPU-1\"",
                "[1699999890,\"5\"],[1699999920,\"6\"],[1699999950,\"6\"],[1699999980,\"6\"]"))
        .newest(newest("sampled_at", "\"UUID\":\"GPU-1\"", "1699999902"));
    MetricsReading.Fetched reading = read();
    assertThat(reading.devices().getFirst().used().samples())
        .containsExactly(
            new MemorySample(Instant.ofEpochSecond(1_699_999_890), MemorySize.ofMiB(5)),
            new MemorySample(Instant.ofEpochSecond(1_699_999_902), MemorySize.ofMiB(6)));
    assertThat(reading.dropped().repeated()).isEqualTo(2);
    assertThat(server.requests().getLast().form().get("query"))
        .contains("timestamp(DCGM_FI_DEV_FB_USED)");
  }

  @Test
  void refusesSamplesOfAClockThatRunsAhead() {
    server.series(series("\"UUID\":\"GPU-1\"", "[1700000000,\"5\"],[1700000041,\"6\"]"));
    MetricsReading.Fetched reading = read();
    assertThat(usedMib(reading.devices().getFirst())).containsExactly(5.0);
    assertThat(reading.dropped().future()).isEqualTo(1);
  }

  @Test
  void neverAsksMoreOftenThanTheCollectorCollects() {
    PrometheusSettings.Range range =
        new PrometheusSettings.Range(
            Duration.ofMinutes(30), Duration.ofSeconds(15), Duration.ofSeconds(30));
    assertThat(range.step()).isEqualTo(Duration.ofSeconds(30));
  }

  @Test
  void staysBelowTheServersLimitOfPoints() {
    assertThatIllegalArgumentException()
        .isThrownBy(() ->
            new PrometheusSettings.Range(
                Duration.ofSeconds(11_000), Duration.ofSeconds(1), Duration.ZERO))
        .withMessageContaining("11000 steps");
  }

  @Test
  void reportsDevicesSplitByMigAndTakesNoInstanceForTheDevice() {
    server
        .series(series("\"UUID\":\"GPU-1\",\"GPU_I_ID\":\"3\"", "[1700000000,\"5\"]"))
        .newest(
            newest(
                    "used",
                    "\"UUID\":\"GPU-1\",\"GPU_I_ID\":\"3\",\"GPU_I_PROFILE\":\"1g.5gb\"",
                    "5")
                + ","
                + newest("free", "\"UUID\":\"GPU-1\",\"GPU_I_ID\":\"3\"", "5"));
    DeviceMetrics device = read().devices().getFirst();
    assertThat(device.mig()).isTrue();
    assertThat(device.used().isEmpty()).isTrue();
    assertThat(device.capacity()).isNull();
    assertThat(device.utilization()).isNull(); // there is none on MIG
  }

  @Test
  void leavesGapsAsTheyAre() {
    server.series(series("\"UUID\":\"GPU-1\"", "[1699999000,\"5\"],[1699999900,\"6\"]"));
    assertThat(read().devices().getFirst().used().samples()).hasSize(2);
  }

  @Test
  void countsSeriesWithoutAUuid() {
    server.series(series("\"gpu\":\"0\"", "[1699999000,\"5\"],[1699999900,\"6\"]"));
    MetricsReading.Fetched reading = read();
    assertThat(reading.devices()).isEmpty();
    assertThat(reading.dropped().nameless()).isEqualTo(2);
  }

  @Test
  void passesOnTheServersWarnings() {
    server.range(
        FakePrometheus.json(
            "{\"status\":\"success\",\"warnings\":[\"partial response\"],"
                + "\"data\":{\"resultType\":\"matrix\",\"result\":[]}}"));
    assertThat(read().warnings()).containsExactly("partial response");
  }

  @Test
  void takesNamesMatchersUnitsAndTenantFromSettings() throws IOException {
    Path token = Files.writeString(folder.resolve("token"), "secret\n");
    PrometheusSettings settings =
        new PrometheusSettings(
            URI.create(server.url() + "/prometheus/"),
            new PrometheusSettings.Metrics("used_bytes", "free_bytes", "busy", "cluster=\"a\"", 1),
            PrometheusSettings.Range.DEFAULT,
            new PrometheusSettings.Access(
                Map.of("X-Scope-OrgID", "team"),
                Optional.of(token),
                Optional.empty(),
                Optional.empty(),
                Optional.empty()),
            PrometheusSettings.Limits.DEFAULT);
    server.series(series("\"UUID\":\"GPU-1\"", "[1700000000,\"4096\"]"));
    assertThat(read(settings).devices().getFirst().used().last().orElseThrow().used())
        .isEqualTo(MemorySize.ofKiB(4));
    FakePrometheus.Request request = server.requests().getFirst();
    assertThat(request.path()).isEqualTo("/prometheus/api/v1/query_range");
    assertThat(request.form().get("query")).contains("(used_bytes{cluster=\"a\"})");
    assertThat(request.headers())
        .containsEntry("X-scope-orgid", "team")
        .containsEntry("Authorization", "Bearer secret");
    assertThat(server.requests().getLast().form().get("query"))
        .contains("free_bytes{cluster=\"a\"}", "busy{cluster=\"a\"}");
  }
}
