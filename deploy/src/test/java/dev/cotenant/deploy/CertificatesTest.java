package dev.cotenant.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.certmanager.api.model.v1.Certificate;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.WebhookClientConfig;
import java.io.ByteArrayInputStream;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whom API servers trust, and that an upgrade does not change it. */
class CertificatesTest {
  private static final String ANNOTATION = "cotenant.dev/renew-after";
  private static final String PATH =
      "/api/v1/namespaces/cotenant-system/secrets/cotenant-webhook-tls";

  @Test
  void madeByTheChartIsForTheServiceAndSignedByWhomWebhooksTrust() throws GeneralSecurityException {
    Manifests objects = Chart.render("{}");
    Secret secret = objects.only(Secret.class);

    X509Certificate certificate = certificate(secret.getData().get("tls.crt"));
    X509Certificate authority = certificate(secret.getData().get("ca.crt"));

    certificate.verify(authority.getPublicKey());
    assertThat(certificate.getSubjectAlternativeNames())
        .extracting(List::getLast)
        .asString()
        .contains("cotenant.cotenant-system.svc");
    assertThat(authority.getBasicConstraints()).isNotNegative();
    Instant end = certificate.getNotAfter().toInstant();
    assertThat(Duration.between(Instant.now(), end).toDays()).isBetween(1093L, 1095L);
    assertThat(Webhooks.of(objects).configurations())
        .extracting(WebhookClientConfig::getCaBundle)
        .containsOnly(secret.getData().get("ca.crt"));
  }

  @Test
  void madeByTheChartIsRenewedInItsLastThird() {
    Secret secret = Chart.render("certs: {validDays: 90}").only(Secret.class);

    Instant renewal = Instant.ofEpochSecond(renewal(secret));

    // 90 days, two thirds of which are 60.
    assertThat(Duration.between(Instant.now(), renewal).plusMinutes(1).toDays()).isEqualTo(60);
  }

  @Test
  void anUpgradeKeepsWhatTheClusterHas() {
    Secret first = Chart.render("{}").only(Secret.class);

    Manifests second = FakeApiServer.withSecret(PATH, json(first), () -> Chart.upgrade("{}"));

    assertThat(second.only(Secret.class)).isEqualTo(first);
    assertThat(Webhooks.of(second).configurations())
        .extracting(WebhookClientConfig::getCaBundle)
        .containsOnly(first.getData().get("ca.crt"));
  }

  @Test
  void anUpgradeReplacesWhatIsAboutToExpire() {
    Secret first = Chart.render("{}").only(Secret.class);
    first.getMetadata().getAnnotations().put(ANNOTATION, "1700000000");

    Secret second =
        FakeApiServer.withSecret(PATH, json(first), () -> Chart.upgrade("{}").only(Secret.class));

    assertThat(second.getData().get("tls.crt")).isNotEqualTo(first.getData().get("tls.crt"));
    assertThat(Instant.ofEpochSecond(renewal(second))).isAfter(Instant.now());
  }

  @Test
  void anUpgradeReplacesWhatIsIncomplete() {
    Secret first = Chart.render("{}").only(Secret.class);
    first.getData().remove("ca.crt");

    Secret second =
        FakeApiServer.withSecret(PATH, json(first), () -> Chart.upgrade("{}").only(Secret.class));

    assertThat(second.getData()).containsOnlyKeys("ca.crt", "tls.crt", "tls.key");
  }

  @Test
  void byCertManagerOutlivedByTheirAuthority() {
    Manifests objects = Chart.render("certManager: {enabled: true}");
    Certificate serving = objects.named(Certificate.class, "cotenant");
    Certificate authority = objects.named(Certificate.class, "cotenant-ca");

    assertThat(objects.all(Secret.class)).isEmpty();
    assertThat(serving.getSpec().getDnsNames()).contains("cotenant.cotenant-system.svc");
    assertThat(serving.getSpec().getSecretName()).isEqualTo("cotenant-webhook-tls");
    assertThat(authority.getSpec().getIsCA()).isTrue();
    assertThat(annotation(objects, "cert-manager.io/inject-ca-from"))
        .containsOnly("cotenant-system/cotenant");
    assertThat(Webhooks.of(objects).configurations())
        .extracting(WebhookClientConfig::getCaBundle)
        .containsOnlyNulls();
  }

  @Test
  void byAnIssuerOfTheUsersNeedNoAuthorityOfOurs() {
    Manifests objects =
        Chart.render(
            "certManager: {enabled: true, issuerRef: {name: company, kind: ClusterIssuer}}");

    assertThat(objects.only(Certificate.class).getSpec().getIssuerRef().getName())
        .isEqualTo("company");
    assertThat(objects.ofKind("Issuer")).isEmpty();
  }

  @Test
  void broughtAlongAreUsedAsTheyAre() {
    Manifests objects = Chart.render("certs: {existingSecret: brought, caBundle: Q0E=}");

    assertThat(objects.all(Secret.class)).isEmpty();
    assertThat(Webhooks.of(objects).configurations())
        .extracting(WebhookClientConfig::getCaBundle)
        .containsOnly("Q0E=");
  }

  private static List<String> annotation(Manifests objects, String name) {
    return List.of(
        objects.only(MutatingWebhookConfiguration.class).getMetadata().getAnnotations().get(name),
        objects
            .only(ValidatingWebhookConfiguration.class)
            .getMetadata()
            .getAnnotations()
            .get(name));
  }

  private static long renewal(Secret secret) {
    return Long.parseLong(secret.getMetadata().getAnnotations().get(ANNOTATION));
  }

  private static String json(Secret secret) {
    ObjectNode tree = new ObjectMapper().valueToTree(secret);
    return tree.toString();
  }

  private static X509Certificate certificate(String base64) throws GeneralSecurityException {
    byte[] pem = Base64.getDecoder().decode(base64);
    return (X509Certificate)
        CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(pem));
  }
}
