package dev.cotenant.service.browser;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The views of the page, as its app.js lists them. */
final class Routes {
  private static final String APP = "/dev/cotenant/service/page/app.js";

  /** {@code ["pods/:/:", "Workload", pod],}. */
  private static final Pattern ROUTE =
      Pattern.compile("\\n  \\[\"([^\"]*)\", \"[^\"]+\", \\w+\\],");

  private Routes() {}

  /** Fails unless every view of the page is among these addresses, and nothing else is. */
  static void areAllAmong(Collection<String> addresses) throws IOException {
    List<String> unknown = new ArrayList<>(addresses);
    for (String route : all()) {
      Pattern address = Pattern.compile("#/" + route.replace(":", "[^/?]+") + "(\\?.*)?");
      assertThat(unknown.removeIf(one -> address.matcher(one).matches()))
          .as("view '%s' of the page is among %s", route, addresses)
          .isTrue();
    }
    assertThat(unknown).as("addresses without a view").isEmpty();
  }

  private static List<String> all() throws IOException {
    try (InputStream in = Routes.class.getResourceAsStream(APP)) {
      Matcher found = ROUTE.matcher(new String(in.readAllBytes(), StandardCharsets.UTF_8));
      List<String> routes = found.results().map(route -> route.group(1)).toList();
      assertThat(routes).as("views in app.js").hasSizeGreaterThan(10).doesNotHaveDuplicates();
      return routes;
    }
  }
}
