package dev.cotenant.service;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import org.junit.jupiter.api.Test;

@QuarkusTest
@TestProfile(RunningService.class)
class PageTest {
  @Test
  void isServedAtTheRootWithEverythingItNeeds() {
    given().get("/").then().statusCode(200).contentType("text/html");
    given().get("/cotenant.css").then().statusCode(200);
    given().get("/cotenant.js").then().statusCode(200);
  }

  @Test
  void loadsNothingFromElsewhereAndBuildsNoMarkupFromData() {
    for (String path : new String[] {"/", "/cotenant.css", "/cotenant.js"}) {
      assertThat(given().get(path).asString())
          .as(path)
          .doesNotContain("http://", "https://", "innerHTML", "outerHTML", "insertAdjacentHTML");
    }
  }

  @Test
  void isUpOnceReviewsCanBeAnswered() {
    for (String probe : new String[] {"live", "ready", "started"}) {
      given().get("/q/health/" + probe).then().statusCode(200);
    }
  }
}
