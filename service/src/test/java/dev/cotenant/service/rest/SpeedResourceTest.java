package dev.cotenant.service.rest;

import static io.restassured.RestAssured.given;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;

import dev.cotenant.service.RunningService;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.restassured.response.ValidatableResponse;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@QuarkusTest
@TestProfile(RunningService.class)
class SpeedResourceTest {
  private static ValidatableResponse post(String json) {
    return given().contentType("application/json").body(json).post("/v1/speeds").then();
  }

  private static String speed(String pod, double speed) {
    return "{\"namespace\":\"team-s\",\"speeds\":[{\"pod\":\""
        + pod
        + "\",\"speed\":"
        + speed
        + "}]}";
  }

  @Test
  void speedsCountOnlyOfPodsWithUnchangedNeighbours() {
    String id =
        given()
            .contentType("application/json")
            .header("Idempotency-Key", UUID.randomUUID().toString())
            .body(
                "{\"workload\":{\"namespace\":\"team-s\",\"name\":\"train\","
                    + "\"model\":\"resnet18\",\"batch_size\":4}}")
            .post("/v1/reservations")
            .then()
            .statusCode(201)
            .extract()
            .path("id");
    try {
      post(speed("train", 120.5))
          .statusCode(200)
          .body("received", equalTo(1))
          .body("rejected[0].reason", containsString("report it later"));
    } finally {
      given().delete("/v1/reservations/" + id);
    }
    post(speed("train", 120.5))
        .statusCode(200)
        .body("rejected[0].line", equalTo(1))
        .body("rejected[0].reason", containsString("no pod 'train'"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{}| missing-argument| 'namespace'",
        "{'namespace':'team-s'}| missing-argument| 'speeds'",
        "{'namespace':'team-s','speeds':[null]}| missing-argument| 'speeds[]'",
        "{'namespace':'team-s','speeds':[{'speed':1}]}| missing-argument| 'speeds[].pod'",
        "{'namespace':'team-s','speeds':[{'pod':'p'}]}| missing-argument| 'speeds[].speed'",
        "{'namespace':'Team S','speeds':[]}| bad-namespace| lower-case",
        "{'namespace':'team-s','speeds':[],'device':'t4'}| unexpected-json| 'device'",
        "{'namespace':'team-s','speeds':[{'pod':'p','speed':'x'}]}| unexpected-json| speed",
        "[]| unexpected-json| JSON",
      })
  void saysWhatIsWrong(String body, String code, String words) {
    post(body.replace('\'', '"'))
        .statusCode(400)
        .body("code", equalTo(code))
        .body("detail", containsString(words));
  }

  @Test
  void refusesTooMany() {
    String many =
        IntStream.rangeClosed(0, 1_000)
            .mapToObj(i -> "{\"pod\":\"p" + i + "\",\"speed\":1}")
            .collect(Collectors.joining(","));
    post("{\"namespace\":\"team-s\",\"speeds\":[" + many + "]}")
        .statusCode(413)
        .body("code", equalTo("too-many-speeds"));
  }
}
