package dev.cotenant.service.browser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.testing.OutsideData;
import dev.cotenant.service.RunningService;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Looks at a view as its readers do: at every width, in every scheme, by keyboard. */
final class Readers {
  static final List<String> SCHEMES = List.of("light", "dark");

  private static final int TELEPHONE = 390;

  /** A telephone, a laptop, a wall. */
  static final List<Integer> WIDTHS = List.of(TELEPHONE, 1280, 2560);

  private static final int TAB = 9;

  /** Cells whose text would be a column of single words. */
  private static final String NARROW_CELLS =
      "[...document.querySelectorAll('td:not(.number)')].filter(cell => cell.checkVisibility() &&"
          + " cell.offsetWidth < 90).map(cell => cell.innerText).join('; ')";

  /** Sentences that are not read in a window without scrolling sideways. */
  private static final String CUT_SENTENCES =
      "[...document.querySelectorAll('td.sentence')].filter(cell => cell.checkVisibility() &&"
          + " (cell.offsetWidth < 280 || cell.getBoundingClientRect().right > innerWidth))"
          + ".map(cell => cell.innerText).join('; ')";

  private static final String HEADER_HEIGHT = "document.querySelector('header').offsetHeight";

  /** Tables that are wider than their place. */
  private static final String CUT_TABLES =
      "[...document.querySelectorAll('.scroll')].filter(one => one.scrollWidth >"
          + " one.clientWidth).map(one => one.getAttribute('aria-label')).join('; ')";

  /** [WCAG 2.2] at levels A and AA, by the rules of axe-core. */
  private static final String VIOLATIONS =
      "axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] }).then(found =>"
          + " found.violations.map(one => one.id + ': ' + one.nodes.map(node => node.html +"
          + " node.failureSummary).join('; ')).join('\\n'))";

  /** What can be reached, by names that stay where it is drawn again; marks what was. */
  private static final String NAMES =
      "window.nameOf = one => [one.tagName, one.getAttribute('href'),"
          + " one.getAttribute('aria-label'), one.id, one.tagName === 'SELECT' || one.tagName ==="
          + " 'TEXTAREA' ? '' : one.textContent].join(' ');"
          + " window.reachable = () => new Set([...document.querySelectorAll('a[href], button,"
          + " input, select, textarea, summary, [tabindex=\"0\"]')].filter(one => !one.disabled &&"
          + " one.checkVisibility()).map(nameOf)); window.reached = new Set(); true";

  private static final String REACH =
      "reached.add(nameOf(document.activeElement)),"
          + " document.activeElement === document.body ||"
          + " getComputedStyle(document.activeElement).outlineStyle !== 'none'";

  private Readers() {}

  /** At three widths, light and dark: nothing is cut off, and axe-core finds nothing. */
  static void read(DevTools page, String view) throws Exception {
    page.evaluate(Files.readString(axe()) + "; true");
    for (String scheme : SCHEMES) {
      page.scheme(scheme);
      for (int width : WIDTHS) {
        page.size(width, 900);
        assertThat(page.evaluate("document.documentElement.scrollWidth").asInt())
            .as(view + " at " + width)
            .isLessThanOrEqualTo(width);
        if (width == TELEPHONE) {
          assertThat(page.evaluate(HEADER_HEIGHT).asInt()).as(view + ": header").isLessThan(140);
          assertThat(page.evaluate(NARROW_CELLS).asText()).as(view + ": narrow cells").isEmpty();
          assertThat(page.evaluate(CUT_SENTENCES).asText()).as(view + ": sentences").isEmpty();
        }
        assertThat(page.evaluate(CUT_TABLES).asText()).as(view + " at " + width).isEmpty();
      }
      assertThat(page.evaluate(VIOLATIONS).asText()).as(view + " " + scheme).isEmpty();
    }
    page.size(1280, 900);
  }

  private static Path axe() throws IOException {
    return OutsideData.requireFetched(
        "npm install --prefix target/npm axe-core@4.10.3",
        RunningService.root().resolve("target/npm/node_modules/axe-core/axe.min.js"));
  }

  /** Everything that can be clicked has the focus in turn, and shows it. */
  static void reachEverything(DevTools page, String view) throws Exception {
    page.evaluate(NAMES);
    int most = page.evaluate("reachable().size").asInt() * 2 + 20;
    for (int i = 0;
        i < most && page.evaluate("[...reachable()].some(one => !reached.has(one))").asBoolean();
        i++) {
      page.press("Tab", TAB);
      assertThat(page.evaluate(REACH).asBoolean())
          .as("focus is seen on " + page.evaluate("nameOf(document.activeElement)"))
          .isTrue();
    }
    assertThat(
            page.evaluate("[...reachable()].filter(one => !reached.has(one)).join('; ')").asText())
        .as(view)
        .isEmpty();
  }
}
