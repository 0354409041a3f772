package dev.cotenant.simulator.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.simulator.lab.Cell;
import dev.cotenant.simulator.lab.Watch;
import dev.cotenant.simulator.world.Placement;
import dev.cotenant.simulator.world.World;
import dev.cotenant.simulator.world.Worlds;
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

  @Test
  void drawsEachPolicyOnceInWellFormedPlots() throws Exception {
    String html = page();
    int plots = 0;
    for (int at = html.indexOf("<svg"); at >= 0; at = html.indexOf("<svg", at + 1)) {
      String svg = html.substring(at, html.indexOf("</svg>", at) + "</svg>".length());
      DocumentBuilderFactory.newInstance()
          .newDocumentBuilder()
          .parse(new InputSource(new StringReader(svg)));
      assertThat(svg).doesNotContain("NaN", "Infinity", ">-0<");
      plots++;
    }

    assertThat(plots).isEqualTo(9);
    assertThat(records().of("table"))
        .extracting(RecordedRun::policy)
        .containsExactly("first", HOSTILE);
    assertThat(records().of("other")).isEmpty();
  }
}
