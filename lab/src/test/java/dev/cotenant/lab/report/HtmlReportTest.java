package dev.cotenant.lab.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.quantity.Share;
import dev.cotenant.lab.figure.Cell;
import dev.cotenant.lab.figure.Watch;
import dev.cotenant.lab.requests.ServingTotals;
import dev.cotenant.lab.requests.ServingTotals.Counts;
import dev.cotenant.lab.requests.ServingTotals.Period;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.Partition;
import dev.cotenant.placement.fleet.PlannedGpu;
import dev.cotenant.placement.fleet.Turn;
import dev.cotenant.simulator.world.Placement;
import dev.cotenant.simulator.world.World;
import dev.cotenant.simulator.world.Worlds;
import dev.cotenant.simulator.world.recorder.RecordedRun;
import java.io.StringReader;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.xml.sax.InputSource;

class HtmlReportTest {
  private static final String HOSTILE = "<script>alert('x')</script> & \"b\"";

  private static RunRecords records() {
    RunRecords records = new RunRecords();
    for (String policy : List.of("first", HOSTILE, "first")) {
      records.watch(
          new Watch.Run("table", policy, 0, 3, 2),
          observer ->
              World.run(
                  Worlds.gpus(1, Worlds.FIFTH),
                  List.of(Worlds.job("a", 0, 100, 50, 6), Worlds.job("b", 1, 50, 50, 6)).iterator(),
                  (job, view) ->
                      view.idle().isEmpty()
                          ? Placement.waiting()
                          : Placement.on(view.idle().first()),
                  observer));
    }
    return records;
  }

  private static String page() {
    HtmlReport report = new HtmlReport("Lab " + HOSTILE, List.of("version " + HOSTILE));
    report.section(HOSTILE, HOSTILE);
    report.part(HOSTILE);
    report.runs(records().of("table"));
    report.table(List.of("policy", HOSTILE), List.of(List.of(HOSTILE, "1")));
    report.cells(
        List.of(
            new Cell(
                "table",
                HOSTILE,
                "makespan_seconds",
                new Cell.Sample(12, 0.5, 3),
                10.0,
                new Cell.Bar(Cell.Bar.Side.AT_MOST, 11),
                HOSTILE)));
    return report.toHtml();
  }

  @Test
  void escapesAllTextAndNeedsNothingFromOutside() {
    assertThat(page())
        .startsWith("<!DOCTYPE html>")
        .doesNotContain("<script", "http://", "https://", "@import", "url(")
        .contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; &quot;b&quot;");
  }

  @Test
  void showsFiguresBesideThePublishedAndMissedBars() {
    assertThat(page())
        .contains(
            "12.0 ± 0.500",
            "published 10.0",
            "<small class=\"missed\">bar ≤ 11.0 missed</small>",
            "makespan seconds");
  }

  /** Two periods of 20 s; nothing is late, so that there are three plots. */
  @Test
  void drawsRequestStreamsPeriodByPeriod() throws Exception {
    FleetPlan plan =
        FleetPlan.of(
            "any",
            List.of(
                PlannedGpu.serving(
                    "gpu", List.of(Partition.of(Share.ofPercent(50), new Turn("a", 1, 10))))),
            List.of());
    ServingTotals totals =
        new ServingTotals(
            List.of(),
            List.of(),
            List.of(
                new Period(0, new Counts(200, 200, 0, 0), plan),
                new Period(20, new Counts(400, 400, 0, 0), plan)),
            1,
            40);
    RunRecords records = new RunRecords();
    for (String policy : List.of("first", HOSTILE, "first")) {
      records.served("table", policy, totals);
    }
    HtmlReport report = new HtmlReport("Lab", List.of());
    report.served(records.servedOf("table"));

    String html = report.toHtml();
    assertThat(plots(html)).isEqualTo(3);
    assertThat(html)
        .contains("Requests in time (a second)", "Shares in use, 100 a GPU (%)")
        .doesNotContain("Late and dropped", "<script");
    assertThat(records.servedOf("table"))
        .extracting(ServedRun::policy)
        .containsExactly("first", HOSTILE);
    assertThat(records.servedOf("other")).isEmpty();
  }

  @Test
  void drawsEachPolicyOnceInWellFormedPlots() throws Exception {
    assertThat(plots(page())).isEqualTo(9);
    assertThat(records().of("table"))
        .extracting(RecordedRun::policy)
        .containsExactly("first", HOSTILE);
    assertThat(records().of("other")).isEmpty();
  }

  private static int plots(String html) throws Exception {
    int plots = 0;
    for (int at = html.indexOf("<svg"); at >= 0; at = html.indexOf("<svg", at + 1)) {
      String svg = html.substring(at, html.indexOf("</svg>", at) + "</svg>".length());
      DocumentBuilderFactory.newInstance()
          .newDocumentBuilder()
          .parse(new InputSource(new StringReader(svg)));
      assertThat(svg).doesNotContain("NaN", "Infinity", ">-0<");
      plots++;
    }
    return plots;
  }
}
