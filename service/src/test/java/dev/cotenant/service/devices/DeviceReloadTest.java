package dev.cotenant.service.devices;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.equalTo;

import dev.cotenant.admission.kubernetes.testing.Eventually;
import dev.cotenant.domain.device.DeviceFile;
import dev.cotenant.service.SeparateService;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import org.eclipse.microprofile.config.ConfigProvider;
import org.junit.jupiter.api.Test;

/** The running service takes over the file of devices as it changes. */
@QuarkusTest
@TestProfile(SeparateService.class)
class DeviceReloadTest {
  private static final String CMP =
      "cmp-170hx,NVIDIA CMP 170HX,8192,35.0,,35.0,70.0,70.0,600,80,6144,300,data sheet";

  private static void write(String... lines) {
    Path file = Path.of(ConfigProvider.getConfig().getValue("cotenant.devices.file", String.class));
    try {
      Path next = file.resolveSibling(file.getFileName() + "-next");
      Files.writeString(
          next, DeviceFile.write(List.of()).getFirst() + "\n" + String.join("\n", lines));
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> devices() {
    return given().get("/v1/devices").then().statusCode(200).extract().path("devices.id");
  }

  private static int predictOnIt() {
    return given()
        .contentType("application/json")
        .body("{\"model\": \"resnet50\", \"batch_size\": 32, \"device\": \"cmp-170hx\"}")
        .post("/v1/predictions")
        .statusCode();
  }

  private static double failures() {
    return given()
        .get("/q/metrics")
        .asString()
        .lines()
        .filter(line -> line.startsWith("cotenant_devices_reload_failures_total"))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf(' '))))
        .sum();
  }

  @Test
  void listsAndPredictsWhatTheFileSaysNowAndSurvivesABrokenOne() {
    assertThat(devices()).contains("t4").doesNotContain("cmp-170hx");
    assertThat(predictOnIt()).isEqualTo(400);

    write(CMP);
    Eventually.holds("the device is listed", () -> devices().contains("cmp-170hx"));
    assertThat(predictOnIt()).isEqualTo(200);

    double before = failures();
    write(CMP.replace("8192", "24 GiB"));
    Eventually.holds("the broken file is counted", () -> failures() > before);
    assertThat(predictOnIt()).isEqualTo(200);
    given().get("/q/health/live").then().body("status", equalTo("UP"));

    write();
    Eventually.holds("the device is gone", () -> !devices().contains("cmp-170hx"));
  }
}
