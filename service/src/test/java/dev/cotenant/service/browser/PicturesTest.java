package dev.cotenant.service.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertAll;

import dev.cotenant.service.RunningService;
import dev.cotenant.service.evidence.EvidenceStore;
import dev.cotenant.service.evidence.Observed;
import dev.cotenant.service.history.ClusterState;
import dev.cotenant.service.history.Figure;
import dev.cotenant.service.history.GpuRow;
import dev.cotenant.service.history.HistoryRecorder;
import dev.cotenant.service.history.HistoryStore;
import dev.cotenant.service.history.LiveState;
import dev.cotenant.service.store.Database;
import dev.cotenant.service.store.SqlEvidence;
import dev.cotenant.service.webhook.WebhookClient;
import dev.cotenant.service.webhook.WebhookServer;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The pictures of the documents are what the page looks like. */
@QuarkusTest
@TestProfile(PicturesTest.Alone.class)
class PicturesTest {
  private static final int MINUTES = 1_440;
  private static final String POD = "team-a/train";
  private static final String SHARED_GPU = "GPU-5f3a0002-0000-4000-8000-000000000002";

  /** Addresses of the views, each with a text that it shows once it is drawn. */
  private static final Map<String, String> VIEWS =
      Map.ofEntries(
          Map.entry("#/", "its bounds did not hold"),
          Map.entry("#/gpus", "16 of 16 GPUs"),
          Map.entry("#/gpus/" + SHARED_GPU + "?hours=6", "forecast until"),
          Map.entry("#/pods", "Newest decisions"),
          Map.entry("#/pods/team-a/train", "The other GPUs, as of now"),
          Map.entry("#/evidence", "too few runs to tell"),
          Map.entry("#/predictors", "None: pods that run alone"),
          Map.entry("#/plans", "Plan by "));

  /** Views whose rows need a metrics server: {@link LivePageTest} and {@link ReplayPageTest}. */
  private static final Set<String> LIVE = Set.of("#/services", "#/right-sizing", "#/what-if");

  /** A service with the cluster of the demo, and a database that no other test writes to. */
  public static final class Alone extends RunningService {
    @Override
    public Map<String, String> getConfigOverrides() {
      Map<String, String> configuration = super.getConfigOverrides();
      configuration.put("cotenant.cluster.recorded", "examples/clusters/busy.json");
      configuration.put("cotenant.devices.prices", "a100-40gb=2.9,rtx-2080ti=0.4");
      configuration.put("cotenant.devices.currency", "EUR");
      return configuration;
    }
  }

  @Inject WebhookServer webhooks;
  @Inject HistoryStore history;
  @Inject LiveState state;
  @Inject Database database;

  @TestHTTPResource("/")
  private String address = "";

  /** The order of the tests does not matter, since no decision comes twice. */
  @BeforeEach
  void fill() throws Exception {
    if (state.now().cluster().rows().stream().anyMatch(row -> row.tenants().contains(POD))) {
      return;
    }
    new WebhookClient(webhooks.port())
        .post("/webhooks/mutate", WebhookClient.review("resnet18", 1));
    writeADay();
    long today = LocalDate.now(ZoneOffset.UTC).toEpochDay();
    new SqlEvidence(database)
        .add(
            Map.of(
                new EvidenceStore.Key("team-b", Observed.UTILIZATION_CHECKED, today), 240L,
                new EvidenceStore.Key("team-b", Observed.UTILIZATION_HELD, today), 221L,
                new EvidenceStore.Key("team-b", Observed.MEMORY_CHECKED, today), 240L,
                new EvidenceStore.Key("team-b", Observed.MEMORY_HELD, today), 238L,
                new EvidenceStore.Key("team-c", Observed.UTILIZATION_CHECKED, today), 40L,
                new EvidenceStore.Key("team-c", Observed.UTILIZATION_HELD, today), 28L));
  }

  @Test
  void noViewIsLeftOut() throws IOException {
    Routes.areAllAmong(Stream.concat(VIEWS.keySet().stream(), LIVE.stream()).toList());
  }

  @Test
  void areWhatThePageLooksLike() throws Exception {
    try (DevTools page = PictureSheet.window()) {
      page.go(address + "#/pods/" + POD);
      page.awaitText("The other GPUs, as of now");
      Picture.check("workload", page.screenshot());
      page.go(address + "#/");
      page.awaitText("Sharing saved");
      page.await("document.querySelector('path.line.used').getAttribute('d').length > 500");
      assertThat(page.text())
          .contains("GPU hours today, worth ", " GPU hours in the last day, worth ", " EUR.");
      Picture.check("overview", page.screenshot());
      page.go(address + "#/gpus");
      page.awaitText("16 of 16 GPUs");
      Picture.check("fleet", page.screenshot());
      page.go(address + "#/gpus/" + SHARED_GPU + "?hours=6");
      page.awaitText("upper bound of the use within");
      page.awaitText("forecast until");
      Picture.check("gpu", page.screenshot());
      assertAll(views().map(view -> () -> looksAsItDid(page, view.getKey(), view.getValue())));
      assertThat(page.complaints()).isEmpty();
    }
  }

  /** The pod is first: its grant ends after a while, since no pod of the cluster has it. */
  private static Stream<Map.Entry<String, String>> views() {
    return VIEWS.entrySet().stream()
        .sorted(
            Map.Entry.comparingByKey(
                Comparator.comparing((String view) -> !view.endsWith(POD))
                    .thenComparing(Comparator.naturalOrder())));
  }

  private void looksAsItDid(DevTools page, String view, String text) throws Exception {
    page.go(address + view);
    PictureSheet sheet = new PictureSheet(name(view));
    sheet.addAll(
        page,
        () -> {
          if (view.equals("#/plans")) {
            page.await("document.querySelector('#fleet')");
            page.evaluate(
                "[...document.querySelectorAll('button')].find(one => one.textContent === 'Plan')"
                    + ".click()");
          }
          page.awaitText(text);
        });
    sheet.check();
  }

  private static String name(String view) {
    if (view.startsWith("#/gpus/")) {
      return "gpu";
    }
    return view.equals("#/")
        ? "overview"
        : view.replaceAll("[^a-z-]+", " ").strip().replace(' ', '-');
  }

  /** The day before, in which sharing comes and goes in waves. */
  private void writeADay() {
    Map<Figure, Double> figures = new HashMap<>(state.now().cluster().figures());
    List<GpuRow> rows = state.now().cluster().rows();
    long now = HistoryRecorder.minute(Instant.now());
    for (int i = 1; i < MINUTES; i++) {
      double wave = Math.round(2 * Math.sin(i / 230.0));
      figures.put(Figure.SAVED_GPUS, 3 + wave);
      figures.put(Figure.SAVED_MONEY_PER_HOUR, 2.9 * (3 + wave));
      figures.put(Figure.SHARED_GPUS, 3 + wave);
      figures.put(Figure.FREE_GPUS, 2 - wave);
      history.add(now - i, new ClusterState(i % 15 == 0 ? used(rows, i) : List.of(), figures));
    }
  }

  /** Memory that a tenant frees and takes again. */
  private static List<GpuRow> used(List<GpuRow> rows, int minute) {
    List<GpuRow> all = new ArrayList<>();
    for (GpuRow row : rows) {
      Long used = row.usedBytes();
      double part = 0.8 + 0.2 * Math.cos(minute / 60.0);
      all.add(
          new GpuRow(
              row.uuid(),
              row.node(),
              row.index(),
              row.device(),
              row.state(),
              row.unschedulable(),
              row.capacityBytes(),
              used == null ? null : Long.valueOf((long) (used * part)),
              row.forecastUpperBytes(),
              row.assumedUpperBytes(),
              row.predictedBytes(),
              row.grantedBytes(),
              row.utilizationPercent(),
              row.predictedPercent(),
              row.grantedPercent(),
              row.worstSlowdown(),
              row.guarded(),
              row.tenants()));
    }
    return all;
  }

  @Test
  void aPictureOfSomethingElseDiffers() throws IOException {
    Picture grey = Picture.of(png(0x808080, 10));
    assertThat(grey.differenceFrom(Picture.of(png(0x838383, 10)))).isZero();
    assertThat(grey.differenceFrom(Picture.of(png(0x80ff80, 10)))).isEqualTo(1);
    assertThat(grey.differenceFrom(Picture.of(png(0x808080, 11)))).isEqualTo(1);
  }

  private static byte[] png(int colour, int width) throws IOException {
    BufferedImage image = new BufferedImage(width, 10, BufferedImage.TYPE_INT_RGB);
    for (int x = 0; x < width; x++) {
      for (int y = 0; y < 10; y++) {
        image.setRGB(x, y, colour);
      }
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ImageIO.write(image, "png", out);
    return out.toByteArray();
  }
}
