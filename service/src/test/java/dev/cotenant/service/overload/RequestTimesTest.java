package dev.cotenant.service.overload;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.service.RunningService;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@QuarkusTest
@TestProfile(RunningService.class)
class RequestTimesTest {
  @Inject MeterRegistry meters;

  private long count(String uri, String method, String status) {
    Timer timer =
        meters
            .find("http.server.requests")
            .tags("uri", uri, "method", method, "status", status)
            .timer();
    return timer == null ? 0 : timer.count();
  }

  @ParameterizedTest
  @CsvSource({
    "GET, /v1/models, /v1/models, GET, 200",
    "GET, /v1/models/no-such-model, /v1/models/{name}, GET, 404",
    "GET, /v1/devices?odd=1, /v1/devices, GET, 400",
    "GET, /no-such-page, other, other, 404",
    "GET, /q/health/live, other, other, 200"
  })
  void areOfTheEndpoint(String method, String path, String uri, String label, String status) {
    long before = count(uri, label, status);

    given().request(method, path).then().statusCode(Integer.parseInt(status));

    assertThat(count(uri, label, status)).isEqualTo(before + 1);
  }

  @Test
  void haveNoLabelThatACallerChooses() {
    given().request("BREW", "/v1/models");
    given().get("/v1/models/a-name-of-a-caller");
    given().get("/v1/path-of-a-caller");

    assertThat(
            meters.find("http.server.requests").meters().stream()
                .map(Meter::getId)
                .map(Meter.Id::toString))
        .isNotEmpty()
        .noneMatch(text -> text.contains("BREW") || text.contains("of-a-caller"));
  }
}
