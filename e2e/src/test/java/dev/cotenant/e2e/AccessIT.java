package dev.cotenant.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Who may ask on the HTTPS port: whom the API server knows, with a token made for that. */
@ExtendWith(OnStage.class)
class AccessIT {
  @Test
  void answersTokensOfItsAudienceAlone(Stage stage) {
    CotenantProcess service = stage.replicas().deciding();
    Release release = stage.release();
    String account = release.account();

    assertThat(code(service, release.token(stage.admin(), account, "cotenant"))).isEqualTo(200);
    assertThat(code(service, release.token(stage.admin(), account))).isEqualTo(401);
    assertThat(code(service, release.token(stage.admin(), account, "others"))).isEqualTo(401);
    assertThat(code(service, "nonsense")).isEqualTo(401);
    assertThat(code(service, "")).isEqualTo(401);
  }

  private static int code(CotenantProcess service, String token) {
    ConfigBuilder config =
        new ConfigBuilder(Config.empty())
            .withMasterUrl("https://127.0.0.1:" + service.webhookPort())
            .withTrustCerts(true);
    try (Kube caller =
        new Kube(token.isEmpty() ? config.build() : config.withOauthToken(token).build())) {
      return caller.get("/v1/gpus").code();
    }
  }
}
