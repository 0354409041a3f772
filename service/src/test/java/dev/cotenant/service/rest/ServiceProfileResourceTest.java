package dev.cotenant.service.rest;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.not;

import dev.cotenant.interference.profile.ProfileBook;
import dev.cotenant.interference.profile.ProfileText;
import dev.cotenant.interference.profile.WorkloadProfile;
import dev.cotenant.service.RunningService;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.restassured.response.ValidatableResponse;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@QuarkusTest
@TestProfile(RunningService.class)
class ServiceProfileResourceTest {
  private static final String TEAM = "team-p";
  private static final ProfileBook V100 = ProfileBook.builtIn();

  private static ValidatableResponse post(String query, byte[] body) {
    return given()
        .contentType("application/octet-stream")
        .body(body)
        .post("/v1/service-profiles" + query)
        .then();
  }

  private static ValidatableResponse post(String query, String body) {
    return post(query, body.getBytes(java.nio.charset.StandardCharsets.UTF_8));
  }

  private static String named(String name, double slower) {
    WorkloadProfile resnet = V100.workload("resnet50").orElseThrow();
    String line = ProfileText.line(resnet.with(resnet.activeTime().scaledBy(slower)));
    return ProfileText.FIRST_LINE + "\n" + line.replace("workload resnet50", "workload " + name);
  }

  @AfterEach
  void delete() {
    given().delete("/v1/service-profiles/mine?namespace=" + TEAM);
  }

  @Test
  void aProfileIsListedWhereItCountsUntilItIsDeleted() {
    post("?namespace=" + TEAM, named("mine", 1))
        .statusCode(200)
        .body("profiles[0].namespace", equalTo(TEAM))
        .body("profiles[0].kind", equalTo("workload"))
        .body("profiles[0].device", equalTo("v100-16gb"));

    given()
        .get("/v1/service-profiles?namespace=" + TEAM)
        .then()
        .statusCode(200)
        .body("profiles.name", hasItem("mine"));
    given()
        .get("/v1/service-profiles?namespace=team-q")
        .then()
        .statusCode(200)
        .body("profiles.name", not(hasItem("mine")));

    given()
        .delete("/v1/service-profiles/mine?namespace=team-q")
        .then()
        .statusCode(404)
        .body("code", equalTo("unknown-profile"));
    given()
        .delete("/v1/service-profiles/mine?device=v100-16gb&namespace=" + TEAM)
        .then()
        .statusCode(200)
        .body("deleted", equalTo(1));
    given()
        .get("/v1/service-profiles")
        .then()
        .statusCode(200)
        .body("profiles.name", not(hasItem("mine")));
  }

  @Test
  void plansKnowTheProfilesOfTheirNamespace() {
    post("?namespace=" + TEAM, named("mine", 1)).statusCode(200);
    String fleet =
        "{\"devices\":[{\"id\":\"v100\"}],\"workloads\":[{\"name\":\"w\",\"profile\":\"mine\","
            + "\"slo_latency_ms\":60,\"request_rate_per_second\":100}],\"arrivals\":\"constant\"}";

    plan("?gpus=2&namespace=" + TEAM, fleet)
        .statusCode(200)
        .body("plans[0].strategy", equalTo("most-throughput"))
        .body("plans[0].gpus[0].workloads[0].name", equalTo("w"));
    plan("?namespace=team-q", fleet)
        .statusCode(200)
        .body("plans[0].unplaced[0].reasons[0]", containsString("no profile 'mine'"));
    plan("?gpus=0", fleet).statusCode(400).body("code", equalTo("bad-number"));
    plan("?namespace=Q", fleet).statusCode(400).body("code", equalTo("bad-namespace"));
  }

  private static ValidatableResponse plan(String query, String fleet) {
    return given().contentType("application/json").body(fleet).post("/v1/plans" + query).then();
  }

  /** A profile a thousand times slower than the model misses an objective that it keeps without. */
  @Test
  void decisionsTakeTimesFromTheProfile() {
    assertThat(verdict()).isEqualTo("Admitted");
    for (String device : devices()) {
      WorkloadProfile resnet = V100.workload("resnet50").orElseThrow();
      String profile =
          ProfileText.of(V100.devices(), List.of(resnet.with(resnet.activeTime().scaledBy(1e3))))
              .replace("v100-16gb", device)
              .replace("workload resnet50", "workload resnet18");
      post("?namespace=" + TEAM, profile).statusCode(200);
    }
    try {
      assertThat(verdict()).isNotEqualTo("Admitted");
    } finally {
      given().delete("/v1/service-profiles/resnet18?namespace=" + TEAM);
      devices()
          .forEach(
              device -> given().delete("/v1/service-profiles/" + device + "?namespace=" + TEAM));
    }
    assertThat(verdict()).isEqualTo("Admitted");
  }

  private static List<String> devices() {
    List<String> devices = given().get("/v1/gpus").then().extract().path("gpus.device");
    return devices.stream().distinct().toList();
  }

  private static String verdict() {
    return given()
        .contentType("application/json")
        .body(
            "{\"workload\":{\"namespace\":\""
                + TEAM
                + "\",\"name\":\"server\",\"model\":\"resnet18\",\"batch_size\":1,"
                + "\"mode\":\"inference\",\"request_rate\":2,\"slo_latency_ms\":500}}")
        .post("/v1/decisions")
        .then()
        .statusCode(200)
        .extract()
        .path("decision.result");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "hello| bad-profile| first line must be",
        "cotenant-profiles 1| no-profiles| lines that begin with",
        "cotenant-profiles 1\\nworkload x device=v100-16gb| bad-profile| the body:2: key k1",
        "cotenant-profiles 1\\nnonsense x| bad-profile| not device, workload or serve",
        "cotenant-profiles 1\\nserve x profile=y slo_latency_ms=1 request_rate_per_second=1"
            + "| no-profiles| belong in a plan",
      })
  void saysWhatIsWrong(String body, String code, String words) {
    post("?namespace=" + TEAM, body.replace("\\n", "\n"))
        .statusCode(422)
        .body("code", equalTo(code))
        .body("detail", containsString(words));
  }

  @Test
  void refusesWhatItDoesNotKnow() {
    String profile = named("mine", 1);
    post("", profile.replace("v100-16gb", "gtx-1")).body("code", equalTo("unknown-device"));
    post("", profile.replace("v100-16gb", "v100"))
        .statusCode(422)
        .body("detail", containsString("listed as v100-16gb"));
    post("", profile.replace("v100-16gb", "t4")).body("code", equalTo("device-not-profiled"));
    post("", profile.replace("workload mine", "workload ../mine"))
        .statusCode(422)
        .body("detail", containsString("name of a profile"));
    post("", profile + profile.substring(profile.indexOf('\n')))
        .statusCode(422)
        .body("detail", containsString("is there twice"));
    post("", new byte[] {(byte) 0xff, (byte) 0xfe}).statusCode(422);
    post("?namespace=Q", profile).statusCode(400).body("code", equalTo("bad-namespace"));
    post("", new byte[(1 << 20) + 1]).statusCode(413);
    given().delete("/v1/service-profiles/nothing").then().statusCode(404);
  }
}
