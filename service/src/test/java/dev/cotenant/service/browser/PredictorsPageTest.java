package dev.cotenant.service.browser;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasItem;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.cotenant.engine.lifecycle.ModelVersion;
import dev.cotenant.engine.lifecycle.Serving;
import dev.cotenant.service.RunningService;
import dev.cotenant.service.rest.LifeCycleSteps;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import org.junit.jupiter.api.Test;

/** What an operator does about versions of the predictor and about measured runs, by clicks. */
@QuarkusTest
@TestProfile(RunningService.class)
class PredictorsPageTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int ESCAPE = 27;

  @Inject LifeCycleSteps steps;
  @Inject Serving serving;

  @TestHTTPResource("/")
  private String address = "";

  private DevTools open() throws Exception {
    DevTools page = DevTools.open(address + "#/predictors", 1280, 900);
    page.awaitText("Registered models");
    return page;
  }

  /** Clicks the button in the row that has a text, once there is one. */
  private static void click(DevTools page, String row, String button) throws Exception {
    String found =
        "[...document.querySelectorAll('main tr')].filter(row => row.textContent.includes("
            + JSON.writeValueAsString(row)
            + ")).flatMap(row => [...row.querySelectorAll('button')]).find(one =>"
            + " one.textContent === '"
            + button
            + "')";
    page.await(found);
    page.evaluate(found + ".click()");
  }

  /** Answers the dialog that is open. */
  private static void answer(DevTools page, String reason, String button) throws Exception {
    page.await("document.querySelector('dialog[open]')");
    page.evaluate(
        "(() => { const input = document.querySelector('dialog input'); if (input) { input.value ="
            + " '"
            + reason
            + "'; } [...document.querySelectorAll('dialog button')].find(one => one.textContent"
            + " === '"
            + button
            + "').click(); })()");
    page.await("!document.querySelector('dialog')");
  }

  @Test
  void aVersionIsPromotedRolledBackAndAnotherDeleted() throws Exception {
    String before = serving.served().label();
    ModelVersion version = steps.trained();
    ModelVersion never = steps.trained();
    try (DevTools page = open()) {
      click(page, version.label(), "Promote");
      page.press("Escape", ESCAPE);
      page.await("!document.querySelector('dialog')");
      assertThat(serving.served().label()).as("after a dialog that is left").isEqualTo(before);

      click(page, version.label(), "Promote");
      answer(page, "a drill on the page", "Promote");
      page.awaitText(version.label() + " serves.");
      assertThat(serving.served().label()).isEqualTo(version.label());
      page.awaitText("override: a drill on the page");

      page.evaluate(
          "[...document.querySelectorAll('button')].find(one => one.textContent.startsWith('Roll"
              + " back')).click()");
      page.await("document.querySelector('dialog[open]')");
      page.evaluate(
          "[...document.querySelectorAll('dialog button')].find(one => one.textContent === 'Roll"
              + " back').click()");
      assertThat(page.evaluate("document.querySelector('dialog').open").asBoolean())
          .as("a rollback without a reason is not sent")
          .isTrue();
      answer(page, "the drill is over", "Roll back");
      page.awaitText("Rolled back: ");
      assertThat(serving.served().label()).isEqualTo(before);
      page.awaitText("rollback: the drill is over");

      click(page, never.label(), "Delete");
      answer(page, "", "Delete");
      page.awaitText(never.label() + " is deleted.");
      assertThat(
              page.evaluate(
                      "[...document.querySelectorAll('main tr')].filter(row => row.textContent"
                          + ".includes('"
                          + version.label()
                          + "')).some(row => row.textContent.includes('Delete'))")
                  .asBoolean())
          .as("a version that served has no button to delete it")
          .isFalse();
      assertThat(page.complaints()).isEmpty();
    }
    given().get("/v1/predictors").then().body("promotions.reason", hasItem("a drill on the page"));
  }

  /** What a training made better cannot be beaten by what it began from. */
  @Test
  void saysWhyAVersionIsNotPromoted() throws Exception {
    String before = serving.served().label();
    String better = steps.trained().label();
    send("/v1/predictors/" + better + "/promotion", "{\"override_reason\":\"a drill\"}");
    try (DevTools page = open()) {
      click(page, before, "Promote");
      answer(page, "", "Promote");
      page.await(
          "document.querySelector('main p.failed')?.textContent.includes('override_reason')");
      assertThat(serving.served().label()).isEqualTo(better);
    } finally {
      send("/v1/predictors/rollback", "{\"reason\":\"the end of the drill\"}");
    }
  }

  private static void send(String path, String body) {
    given().contentType("application/json").body(body).post(path).then().statusCode(200);
  }

  @Test
  void runsOfASourceAreWithdrawn() throws Exception {
    for (long bytes : new long[] {22_000_000_001L, 22_000_000_002L, 22_000_000_003L}) {
      given()
          .contentType("application/json")
          .body(
              "{\"rows\":[{\"source\":\"wrong page\",\"model\":\"resnet18\",\"device\":\"l4\","
                  + "\"batch_size\":43,\"peak_memory_bytes\":"
                  + bytes
                  + "}]}")
          .post("/v1/profiles")
          .then()
          .body("added", equalTo(1));
    }
    String source = "local: wrong page";
    try (DevTools page = open()) {
      page.awaitText(source);
      page.awaitText("3 runs");
      page.evaluate(
          "[...document.querySelectorAll('main tr')].find(row => row.textContent.includes('"
              + source
              + "')).querySelector('summary').click()");
      click(page, source, "Withdraw");
      page.awaitText(" withdrawn.");
      page.awaitText("2 runs");
      click(page, source, "Withdraw all");
      answer(page, "", "Withdraw");
      page.awaitText("2 runs withdrawn.");
      page.await(
          "![...document.querySelectorAll('main td')].some(cell => cell.textContent === '"
              + source
              + "')");
      assertThat(page.complaints()).isEmpty();
    }
    given()
        .queryParam("source", source)
        .get("/v1/profiles")
        .then()
        .body("profiles.size()", equalTo(0));
  }
}
