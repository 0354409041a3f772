package dev.cotenant.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.util.List;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What a stolen token of the service's account cannot write, on a real API server. */
@ExtendWith(OnStage.class)
class WritePolicyIT {
  private static final String OF_OURS =
      "{\"metadata\": {\"annotations\": {\"cotenant.dev/x\": \"y\"}}}";

  /** Those that admission has added stay. */
  private static final String TOLERATION =
      "[{\"op\": \"add\", \"path\": \"/spec/tolerations/-\", \"value\": {\"operator\":"
          + " \"Exists\"}}]";

  /** A strategic merge patch, and the message of its denial. */
  private record Attack(String patch, String message) {}

  private static final List<Attack> ATTACKS =
      List.of(
          new Attack("{'spec': {'containers': [{'name': 'main', 'image': 'evil'}]}}", "no image"),
          new Attack("{'spec': {'activeDeadlineSeconds': 1}}", "no spec.activeDeadlineSeconds"),
          new Attack("{'spec': {'nodeSelector': {'zone': 'b'}}}", "only by kubernetes.io/hostname"),
          new Attack(annotated("owner.example/cost", "'0'"), "only annotations of its own"),
          new Attack(annotated("owner.example/cost", "null"), "only annotations of its own"),
          new Attack(annotated("owner.example/new", "'1'"), "only annotations of its own"),
          new Attack("{'metadata': {'labels': {'app': 'payments'}}}", "only the label"),
          new Attack("{'metadata': {'labels': {'cotenant.dev/leader': 'true'}}}", "only the label"),
          new Attack("{'metadata': {'finalizers': ['a.example/b']}}", "no metadata.finalizers"),
          new Attack(
              "{'metadata': {'ownerReferences':"
                  + " [{'apiVersion': 'v1', 'kind': 'Pod', 'name': 'x', 'uid': 'y'}]}}",
              "no metadata.ownerReferences"));

  private static String annotated(String key, String value) {
    return "{'metadata': {'annotations': {'" + key + "': " + value + "}}}";
  }

  private static Kube thief(Stage stage) {
    String token = stage.release().token(stage.admin(), stage.release().account());
    return new Kube(stage.cluster().as(token));
  }

  @Test
  void aStolenTokenWritesNothingButWhatCotenantWrites(Stage stage) {
    stage.fill();
    stage.createHeld(PodManifest.named("victim").annotated("owner.example/cost", "7"));
    String path = stage.pods().path("victim");
    try (Kube thief = thief(stage)) {
      SoftAssertions denials = new SoftAssertions();
      for (Attack attack : ATTACKS) {
        Kube.Answer answer = thief.strategicMerge(path, attack.patch().replace('\'', '"'));
        denials.assertThat(answer.isSuccessful()).as(attack.patch()).isFalse();
        denials.assertThat(answer.message()).as(attack.patch()).contains(attack.message());
      }
      denials
          .assertThat(thief.jsonPatch(path, TOLERATION).message())
          .contains("no spec.tolerations");
      denials.assertAll();
      assertThat(thief.strategicMerge(path, OF_OURS).code()).isEqualTo(200);
    }
  }

  @Test
  void podsThatCotenantDoesNotManageAreOutOfReach(Stage stage) {
    Pods others = stage.pods(stage.names().outside());
    others.create(PodManifest.named("stranger"));
    try (Kube thief = thief(stage)) {
      assertThat(thief.strategicMerge(others.path("stranger"), OF_OURS).message())
          .contains("changes only gated pods, pods with annotations of its own");
      assertThat(thief.delete(others.path("stranger")).message())
          .contains("deletes only pods with annotations of its own");
    }
    assertThat(others.find("stranger")).isPresent();
  }

  private static String eviction(String namespace, String pod) {
    return """
    {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "%s", "namespace": "%s"}}
    """
        .formatted(pod, namespace);
  }

  @Test
  void podsOfNamespacesThatAreNotOptedInCannotBeEvicted(Stage stage) {
    Pods others = stage.pods(stage.names().outside());
    others.create(PodManifest.named("bystander"));
    try (Kube thief = thief(stage)) {
      assertThat(
              thief
                  .create(
                      others.path("bystander") + "/eviction",
                      eviction(stage.names().outside(), "bystander"))
                  .message())
          .contains("evicts only pods of opted-in namespaces");
    }
    assertThat(others.find("bystander")).isPresent();
  }

  @Test
  void aBindingCarriesNoAnnotationsOfOthersAndNoOtherNodeThanItsGrants(Stage stage) {
    Pods pods = stage.pods(stage.names().scheduled());
    String binding =
        """
        {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "none",
          "annotations": {"%s": "a"}}, "target": {"kind": "Node", "name": "b"}}
        """;
    try (Kube thief = thief(stage)) {
      assertThat(
              thief
                  .create(pods.path("none") + "/binding", binding.formatted("owner.example/cost"))
                  .message())
          .contains("writes only annotations of its own");
      assertThat(
              thief
                  .create(
                      pods.path("none") + "/binding",
                      binding.formatted("cotenant.dev/assigned-node"))
                  .message())
          .contains("binds pods to the node of their grant");
    }
  }

  /** A claim and the message of its denial. */
  private record Claim(String namespace, String deviceClass, String metadata, String message) {
    String json() {
      return """
      {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
        "metadata": {"name": "stolen", %s},
        "spec": {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": "%s"}}]}}}
      """
          .formatted(metadata, deviceClass);
    }

    String path() {
      return "/apis/resource.k8s.io/v1/namespaces/" + namespace + "/resourceclaims";
    }
  }

  @Test
  void claimsAreOnlyOfGpusForPodsOfOptedInNamespaces(Stage stage) {
    assumeThat(stage.admin().get("/apis/resource.k8s.io/v1").isSuccessful())
        .as("resource.k8s.io/v1")
        .isTrue();
    String owner =
        "\"ownerReferences\": [{\"apiVersion\": \"v1\", \"kind\": \"%s\", \"name\": \"x\","
            + " \"uid\": \"y\"}]";
    String gpu = "gpu.nvidia.com";
    String ours = stage.names().claiming();
    List<Claim> attacks =
        List.of(
            new Claim(
                stage.names().outside(),
                gpu,
                owner.formatted("Pod"),
                "only in opted-in namespaces"),
            new Claim(ours, "nic.example.com", owner.formatted("Pod"), "claims only GPUs"),
            new Claim(ours, gpu, owner.formatted("Node"), "are owned by pods"),
            new Claim(ours, gpu, "\"generation\": 1", "are owned by pods"),
            new Claim(
                ours, gpu, owner.formatted("Pod") + ", \"labels\": {\"a\": \"b\"}", "no labels"));
    try (Kube thief = thief(stage)) {
      SoftAssertions denials = new SoftAssertions();
      for (Claim attack : attacks) {
        denials
            .assertThat(thief.create(attack.path(), attack.json()).message())
            .as(attack.json())
            .contains(attack.message());
      }
      denials.assertAll();
    }
  }
}
