package dev.cotenant.service;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;

import dev.cotenant.admission.kubernetes.testing.Eventually;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

@QuarkusTest
@TestProfile(RunningService.class)
class PageTest {
  private static final String FOLDER = "service/src/main/resources/dev/cotenant/service/page";

  /** A name and no address: it is never fetched. */
  private static final String SVG = "http://www.w3.org/2000/svg";

  /** Files of the page beside the page itself. */
  private static List<String> assets() throws IOException {
    try (Stream<Path> files = Files.list(RunningService.root().resolve(FOLDER))) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> !name.equals("index.html"))
          .sorted()
          .toList();
    }
  }

  /** The folder of the page's files, whose name changes with them. */
  private static String folder() {
    var found =
        Pattern.compile("assets/[0-9a-f]{16}/")
            .matcher(given().get("/").then().statusCode(200).extract().asString());
    assertThat(found.find()).isTrue();
    return "/" + found.group();
  }

  @Test
  void isServedAtTheRootWithEverythingItNeeds() throws IOException {
    String tag =
        given()
            .get("/")
            .then()
            .contentType("text/html")
            .header("Cache-Control", equalTo("no-cache"))
            .header("Content-Security-Policy", containsString("default-src 'none'"))
            .extract()
            .header("ETag");
    given().header("If-None-Match", tag).get("/").then().statusCode(304);
    assertThat(assets()).contains("app.js", "page.css");
    for (String name : assets()) {
      given()
          .get(folder() + name)
          .then()
          .statusCode(200)
          .header("Cache-Control", containsString("immutable"));
    }
  }

  @Test
  void doesNotServeFilesOfAnotherVersionNorOthers() {
    for (String path :
        List.of(
            "/assets/0123456789abcdef/app.js",
            folder() + "none.js",
            folder() + "index.html",
            folder() + "..%2fstore%2fV1__life_cycle.sql")) {
      given().urlEncodingEnabled(false).get(path).then().statusCode(404);
    }
  }

  @Test
  void loadsNothingFromElsewhereAndBuildsNoMarkupFromData() throws IOException {
    for (String name : assets()) {
      assertThat(given().get(folder() + name).asString().replace(SVG, ""))
          .as(name)
          .doesNotContain("http://", "https://", "innerHTML", "outerHTML", "insertAdjacentHTML")
          .doesNotContain("document.write", "eval(", "new Function");
    }
  }

  @Test
  void hasWordsForEveryReasonWithAPage() throws IOException {
    String words = given().get(folder() + "format.js").asString();
    try (Stream<Path> pages = Files.list(RunningService.root().resolve("docs/troubleshooting"))) {
      assertThat(pages.map(page -> page.getFileName().toString().replace(".md", "")))
          .filteredOn(name -> name.matches("[A-Z][a-z]+[A-Z]\\w+"))
          .hasSizeGreaterThan(20)
          .allSatisfy(code -> assertThat(words).contains("  " + code + ": ["));
    }
  }

  @Test
  void isUpOnceReviewsCanBeAnswered() {
    for (String probe : new String[] {"live", "ready", "started"}) {
      Eventually.holds(probe, () -> given().get("/q/health/" + probe).statusCode() == 200);
    }
  }
}
