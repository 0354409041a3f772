package dev.cotenant.lab.report;

import dev.cotenant.lab.figure.Cell;
import dev.cotenant.lab.figure.CellTable;
import dev.cotenant.simulator.world.recorder.RecordedRun;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One page with tables and plots of simulated clusters, self-contained: style and drawings are
 * inline, there is no script. All text is escaped.
 */
public final class HtmlReport {
  private static final String STYLE = "report.css";

  private final String title;
  private final List<String> provenance;
  private final StringBuilder body = new StringBuilder();

  /**
   * @param title of the page
   * @param provenance what made it, such as version, seeds and digests of data, a line each
   */
  public HtmlReport(String title, List<String> provenance) {
    this.title = title;
    this.provenance = List.copyOf(provenance);
  }

  /** Starts a section. */
  public void section(String heading, String text) {
    body.append("<h2>%s</h2>\n".formatted(Markup.escaped(heading)));
    paragraph(text);
  }

  /** Starts a part of a section. */
  public void part(String heading) {
    body.append("<h3>%s</h3>\n".formatted(Markup.escaped(heading)));
  }

  /** A paragraph. */
  public void paragraph(String text) {
    body.append("<p>%s</p>\n".formatted(Markup.escaped(text)));
  }

  /** Plots of one run of each policy on the same jobs; nothing without a run. */
  public void runs(List<RecordedRun> runs) {
    if (!runs.isEmpty()) {
      body.append(new RunPlots(runs).toHtml());
    }
  }

  /** Time lines of one run of each policy on the same requests; nothing without a run. */
  public void served(List<ServedRun> runs) {
    if (!runs.isEmpty()) {
      body.append(new ServingPlots(runs).toHtml());
    }
  }

  /** A table whose first column names its rows. */
  public void table(List<String> header, List<List<String>> rows) {
    StringBuilder html = new StringBuilder();
    for (List<String> row : rows) {
      html.append(
          row.stream()
              .map(text -> "<td>" + Markup.escaped(text) + "</td>")
              .collect(Collectors.joining("", "<tr>", "</tr>\n")));
    }
    scrolling(header, html);
  }

  /** Cells of one table: a row a policy, a column a metric, then the readings. */
  public void cells(List<Cell> cells) {
    Set<String> metrics = new LinkedHashSet<>();
    Map<String, Map<String, Cell>> rows = new LinkedHashMap<>();
    Set<String> readings = new LinkedHashSet<>();
    for (Cell cell : cells) {
      metrics.add(cell.metric());
      readings.add(cell.reading());
      rows.computeIfAbsent(cell.policy(), _ -> new LinkedHashMap<>()).put(cell.metric(), cell);
    }
    List<String> header = new ArrayList<>(List.of("policy"));
    metrics.forEach(metric -> header.add(metric.replace('_', ' ')));
    List<String> numbered = List.copyOf(readings);
    StringBuilder html = new StringBuilder();
    rows.forEach((policy, row) -> {
      html.append("<tr><td>%s</td>".formatted(Markup.escaped(policy)));
      metrics.forEach(metric -> html.append(cell(row.get(metric), numbered)));
      html.append("</tr>\n");
    });
    scrolling(header, html);
    body.append("<ol>\n");
    numbered.forEach(reading -> body.append("<li>%s</li>\n".formatted(Markup.escaped(reading))));
    body.append("</ol>\n");
  }

  private static String cell(@Nullable Cell cell, List<String> readings) {
    if (cell == null) {
      return "<td></td>";
    }
    StringBuilder html = new StringBuilder("<td>");
    String ours =
        cell.ours().halfWidth() == 0
            ? CellTable.number(cell.ours().mean())
            : CellTable.number(cell.ours().mean())
                + " ± "
                + CellTable.number(cell.ours().halfWidth());
    html.append(ours);
    if (cell.published() != null) {
      html.append("<small>published " + CellTable.number(cell.published()) + "</small>");
    }
    if (cell.bar() != null) {
      String style = cell.meetsItsBar() ? "" : " class=\"missed\"";
      html.append("<small" + style + ">bar " + CellTable.bar(cell) + "</small>");
    }
    html.append("<small>[" + (readings.indexOf(cell.reading()) + 1) + "]</small>");
    return html.append("</td>").toString();
  }

  private void scrolling(List<String> header, StringBuilder rows) {
    body.append("<div class=\"scroll\" tabindex=\"0\"><table>\n<thead>");
    body.append(
        header.stream()
            .map(text -> "<th scope=\"col\">" + Markup.escaped(text) + "</th>")
            .collect(Collectors.joining("", "<tr>", "</tr>")));
    body.append("</thead>\n<tbody>\n").append(rows).append("</tbody></table></div>\n");
  }

  /** The page. */
  public String toHtml() {
    String lines =
        provenance.stream()
            .map(line -> "<li>" + Markup.escaped(line) + "</li>\n")
            .collect(Collectors.joining());
    return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        + "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        + "<title>"
        + Markup.escaped(title)
        + "</title>\n<style>\n"
        + style()
        + "</style>\n</head>\n<body>\n<h1>"
        + Markup.escaped(title)
        + "</h1>\n<ul class=\"provenance\">\n"
        + lines
        + "</ul>\n"
        + body
        + "</body>\n</html>\n";
  }

  private static String style() {
    try (InputStream in =
        Objects.requireNonNull(HtmlReport.class.getResourceAsStream(STYLE), STYLE)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
