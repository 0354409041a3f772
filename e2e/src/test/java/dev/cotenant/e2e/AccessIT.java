package dev.cotenant.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.kubernetes.testing.Eventually;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Who may ask on the HTTPS port: whom the API server knows and allows, with a token for that. */
@ExtendWith(OnStage.class)
class AccessIT {
  private static final String READER = "role-reader";
  private static final int FORBIDDEN = 403;

  @Test
  void knowsTokensOfItsAudienceAlone(Stage stage) {
    CotenantProcess service = stage.replicas().deciding();
    Release release = stage.release();
    String account = release.account();

    assertThat(code(service, release.token(stage.admin(), account, "cotenant"), "/v1/gpus"))
        .isEqualTo(FORBIDDEN); // known, and without a right
    for (String token :
        new String[] {
          release.token(stage.admin(), account),
          release.token(stage.admin(), account, "others"),
          "nonsense",
          ""
        }) {
      assertThat(code(service, token, "/v1/gpus")).isEqualTo(401);
    }
  }

  @Test
  void allowsWhatTheRolesOfTheChartAllow(Stage stage) {
    CotenantProcess service = stage.replicas().deciding();
    Names names = stage.names();
    stage.release().createAccount(stage.admin(), READER);
    String token = stage.release().token(stage.admin(), READER, "cotenant");
    String team = "?namespace=" + names.team();
    assertThat(code(service, token, "/v1/gpus" + team)).isEqualTo(FORBIDDEN);

    stage.release().bind(stage.admin(), READER, "operator", names.team());
    Eventually.holds(
        "the RoleBinding counts", () -> code(service, token, "/v1/gpus" + team) == 200);
    assertThat(code(service, token, "/v1/queue" + team)).isEqualTo(200);
    assertThat(code(service, token, "/v1/gpus?namespace=" + names.outside())).isEqualTo(FORBIDDEN);
    for (String everywhere : new String[] {"/v1/gpus", "/v1/queue", "/v1/models", "/v1/profiles"}) {
      assertThat(code(service, token, everywhere)).as(everywhere).isEqualTo(FORBIDDEN);
    }

    String binding = stage.release().bindEverywhere(stage.admin(), READER, "viewer");
    try {
      Eventually.holds(
          "the ClusterRoleBinding counts", () -> code(service, token, "/v1/models") == 200);
      Eventually.holds("for every list", () -> code(service, token, "/v1/gpus") == 200);
    } finally {
      stage.admin().delete(binding);
    }
    Eventually.holds("it no longer counts", () -> code(service, token, "/v1/models") == FORBIDDEN);
  }

  private static int code(CotenantProcess service, String token, String path) {
    ConfigBuilder config =
        new ConfigBuilder(Config.empty())
            .withMasterUrl("https://127.0.0.1:" + service.webhookPort())
            .withTrustCerts(true);
    try (Kube caller =
        new Kube(token.isEmpty() ? config.build() : config.withOauthToken(token).build())) {
      return caller.get(path).code();
    }
  }
}
