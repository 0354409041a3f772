package dev.cotenant.e2e;

import static org.assertj.core.api.Assertions.assertThat;

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
}
