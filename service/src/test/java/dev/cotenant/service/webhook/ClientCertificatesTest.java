package dev.cotenant.service.webhook;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.service.RunningService;
import dev.cotenant.service.configuration.ServiceSettings;
import dev.cotenant.service.webhook.ClientKeys.Client;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The webhooks where API servers have to present a certificate, over TLS. */
@QuarkusTest
@TestProfile(ClientCertificatesTest.Demanding.class)
class ClientCertificatesTest {
  private static final byte[] REVIEW = "{}".getBytes(StandardCharsets.UTF_8);
  private static final byte[] NOTHING = new byte[0];

  /** Asks for certificates of one authority and one name; looks at the file all the time. */
  public static final class Demanding extends RunningService {
    static Path directory() {
      return dataDirectory().resolve("client-certificates");
    }

    static ClientKeys keys() {
      return new ClientKeys(directory());
    }

    static Path authority() {
      return directory().resolve("ca.pem");
    }

    @Override
    public Map<String, String> getConfigOverrides() {
      keys().authority("first", authority());
      Map<String, String> configuration = new HashMap<>(super.getConfigOverrides());
      configuration.put("cotenant.webhook.client-ca", authority().toString());
      configuration.put("cotenant.webhook.client-names", "kube-apiserver");
      configuration.put("cotenant.webhook.certificate-interval", "100ms");
      return configuration;
    }
  }

  @Inject WebhookServer server;
  private ClientKeys keys;

  @BeforeEach
  void start() throws InterruptedException {
    keys = Demanding.keys();
    keys.authority("first", Demanding.authority());
    awaitStatus(apiServer(), 200);
  }

  private HttpResponse<String> review(Client client) {
    return client.at(server.port()).post("/webhooks/mutate", REVIEW);
  }

  private Client apiServer() {
    return keys.client("first", "kube-apiserver", "-ext", "eku=clientAuth");
  }

  private static double refused() {
    return given()
        .get("/q/metrics")
        .asString()
        .lines()
        .filter(line -> line.startsWith("cotenant_webhook_refused_callers_total"))
        .filter(line -> line.contains("client-certificate"))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
        .sum();
  }

  private void refuses(Client client, String why) {
    for (String path : List.of("/webhooks/mutate", "/webhooks/validate", "/webhooks/none", "/")) {
      HttpResponse<String> answer = client.at(server.port()).post(path, REVIEW);
      assertThat(answer.statusCode()).as(path).isEqualTo(403);
      assertThat(answer.body()).contains(why).hasLineCount(1);
    }
  }

  @Test
  void answersTheApiServer() {
    Client client = apiServer();
    for (int i = 0; i < 3; i++) {
      HttpResponse<String> answer = review(client);
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.body()).contains("AdmissionReview");
    }
  }

  @Test
  void refusesOthersAndCountsThem() {
    double before = refused();
    refuses(Client.NONE, "no client certificate is presented");
    refuses(keys.selfSigned("kube-apiserver"), "not valid");
    keys.authority("second", Demanding.directory().resolve("second.pem"));
    refuses(keys.client("second", "kube-apiserver", "-ext", "eku=clientAuth"), "not valid");
    refuses(
        keys.client("first", "kube-apiserver", "-startdate", "-2d", "-validity", "1"), "not valid");
    refuses(keys.client("first", "kube-apiserver", "-startdate", "+1d"), "not valid");
    refuses(keys.client("first", "kube-apiserver", "-ext", "eku=serverAuth"), "not valid");
    refuses(keys.client("first", "kubelet", "-ext", "eku=clientAuth"), "client-names");
    assertThat(refused()).isEqualTo(before + 7 * 4);
  }

  /** The body never ends: the answer comes before it is read. */
  @Test
  void refusesBeforeTheBodyIsRead() throws IOException {
    assertThat(Client.NONE.headOfEndlessPost(server.port(), "/webhooks/mutate"))
        .startsWith("HTTP/1.1 403 ");
  }

  @Test
  void asksNoCertificateOfProbesAndOfCallersWithATokenEvenWithAWrongOne() {
    String token = "Bearer " + RunningService.REST_TOKEN;
    for (Client client : List.of(Client.NONE, keys.selfSigned("anybody"))) {
      WebhookClient caller = client.at(server.port());
      assertThat(caller.get("/healthz").statusCode()).isEqualTo(200);
      assertThat(caller.send("GET", "/v1/gpus", token, NOTHING).statusCode()).isEqualTo(200);
      assertThat(caller.send("GET", "/v1/gpus", null, NOTHING).statusCode()).isEqualTo(401);
      assertThat(caller.send("POST", "/extender/filter", token, REVIEW).statusCode())
          .isEqualTo(200);
    }
  }

  /** A certificate says who reviews; it is no token. */
  @Test
  void givesTheApiServerNoRestWithoutAToken() {
    assertThat(apiServer().at(server.port()).send("GET", "/v1/gpus", null, NOTHING).statusCode())
        .isEqualTo(401);
  }

  @Test
  void followsARenewedAuthorityAndKeepsItWhereTheFileBreaks()
      throws IOException, InterruptedException {
    Client before = apiServer();
    assertThat(review(before).statusCode()).isEqualTo(200);
    keys.authority("renewed", Demanding.authority());
    Client after = keys.client("renewed", "kube-apiserver", "-ext", "eku=clientAuth");
    awaitStatus(after, 200);
    awaitStatus(before, 403);
    Files.writeString(Demanding.authority(), "no certificate");
    await(() -> failedLooks() > 0);
    assertThat(review(after).statusCode()).isEqualTo(200);
  }

  private void awaitStatus(Client client, int status) throws InterruptedException {
    await(() -> review(client).statusCode() == status);
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    Instant end = Instant.now().plusSeconds(60);
    while (!condition.getAsBoolean()) {
      assertThat(Instant.now()).isBefore(end);
      Thread.sleep(50);
    }
  }

  private static double failedLooks() {
    return given()
        .get("/q/metrics")
        .asString()
        .lines()
        .filter(line -> line.startsWith("cotenant_certificate_reload_failures_total"))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
        .sum();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "garbage", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"})
  void doesNotStartWithAFileThatHoldsNone(String text) throws IOException {
    Path file = Files.writeString(Demanding.directory().resolve("broken.pem"), text);
    ServiceSettings.Clients clients = new ServiceSettings.Clients(file, Set.of());

    assertThatThrownBy(() -> new ClientAuthority(clients))
        .isInstanceOf(InputException.class)
        .hasMessageStartingWith("cotenant.webhook.client-ca: " + file)
        .message()
        .hasLineCount(1);
  }
}
