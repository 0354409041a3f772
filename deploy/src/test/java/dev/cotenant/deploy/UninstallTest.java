package dev.cotenant.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A pod that is held when Cotenant goes would be held for ever: gates go before anything else. */
class UninstallTest {
  private final Manifests rendered = Chart.render("{}");
  private final Manifests before = rendered.hooks("pre-delete");

  @Test
  void runsBeforeAnythingIsDeletedWithAllThatItNeeds() {
    List<String> order =
        before.documents().stream()
            .sorted(Comparator.comparingInt(UninstallTest::weight))
            .map(object -> object.path("kind").asText())
            .toList();

    assertThat(order).containsExactly("ServiceAccount", "ClusterRole", "ClusterRoleBinding", "Job");
    assertThat(before.documents()).extracting(UninstallTest::weight).containsOnly(-20, -10, 0);
  }

  private static int weight(JsonNode object) {
    return Integer.parseInt(Manifests.annotation(object, "helm.sh/hook-weight"));
  }

  @Test
  void leavesNothingOfItselfBehind() {
    assertThat(before.documents())
        .extracting(object -> Manifests.annotation(object, "helm.sh/hook-delete-policy"))
        .containsOnly("before-hook-creation,hook-succeeded");
  }

  @Test
  void removesTheWebhooksByNameThenEveryGate() {
    Container ungate =
        before.only(Job.class).getSpec().getTemplate().getSpec().getContainers().getFirst();

    assertThat(ungate.getCommand()).containsExactly("java");
    assertThat(ungate.getArgs())
        .endsWith("dev.cotenant.cli.Main", "ungate", "--all", "--webhooks", "cotenant");
    assertThat(rendered.byName())
        .containsKeys(
            "MutatingWebhookConfiguration/-/cotenant", "ValidatingWebhookConfiguration/-/cotenant");
  }

  @Test
  void triesAgainButNotForEver() {
    Job job = before.only(Job.class);

    assertThat(job.getSpec().getBackoffLimit()).isEqualTo(5);
    assertThat(job.getSpec().getActiveDeadlineSeconds()).isEqualTo(300);
    assertThat(job.getSpec().getTemplate().getSpec().getRestartPolicy()).isEqualTo("Never");
  }

  @Test
  void isNoPartOfTheServiceBehindTheWebhooks() {
    var labels = before.only(Job.class).getSpec().getTemplate().getMetadata().getLabels();

    assertThat(labels).containsEntry("app.kubernetes.io/component", "uninstall");
  }

  @Test
  void canBeLeftToTheUser() {
    Manifests objects = Chart.render("uninstall: {enabled: false}");

    assertThat(objects.hooks("pre-delete").documents()).isEmpty();
  }
}
