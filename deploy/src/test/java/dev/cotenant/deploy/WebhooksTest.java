package dev.cotenant.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.pod.CotenantAnnotations;
import io.fabric8.kubernetes.api.model.LabelSelectorRequirement;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MatchCondition;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.RuleWithOperations;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who is asked about which pods, and what becomes of a pod when nobody answers. */
class WebhooksTest {
  private static final String IMMEDIATE = "{replicaCount: 1, policy: {mode: immediate}}";

  private final Webhooks standard = Webhooks.of(Chart.render("{}"));

  @Test
  void letsPodsThroughWhenNobodyAnswersInTime() {
    for (Webhooks.Webhook webhook : standard.all()) {
      assertThat(webhook.answer())
          .isEqualTo(new Webhooks.Answer("Ignore", 2, "Equivalent", "None", List.of("v1")));
    }
  }

  @Test
  void asksAboutPodsOfOptedInNamespacesOnlyAndNeverAboutItsOwn() {
    for (Webhooks.Webhook webhook : standard.all()) {
      assertThat(webhook.scope().namespaces().getMatchExpressions())
          .extracting(WebhooksTest::text)
          .containsExactly(
              "cotenant.dev/colocation In [enabled]",
              "kubernetes.io/metadata.name NotIn [kube-system, cotenant-system]");
    }
  }

  @Test
  void leavesPodsAloneThatOptOutButGuardsThemAllTheSame() {
    for (String name : List.of("mutate.cotenant.dev", "validate.cotenant.dev")) {
      assertThat(standard.named(name).scope().objects().getMatchExpressions())
          .extracting(WebhooksTest::text)
          .containsExactly("cotenant.dev/colocation NotIn [disabled]");
    }
    // With a selector, whoever sets the label could then write annotations that speak of a grant.
    for (String name :
        List.of("guard.cotenant.dev", "status.cotenant.dev", "binding.cotenant.dev")) {
      assertThat(standard.named(name).scope().objects()).isNull();
    }
    assertThat(condition("guard.cotenant.dev", "opted-out-held-or-ours-changed"))
        .startsWith("request.operation == 'CREATE' ? (has(object.metadata.labels) && ");
  }

  private static String text(LabelSelectorRequirement requirement) {
    return requirement.getKey() + " " + requirement.getOperator() + " " + requirement.getValues();
  }

  @Test
  void keepsItsOwnNamespaceOutWhateverSelectorIsGiven() {
    String values =
        "webhook: {namespaceSelector: {matchLabels: {gpu: \"yes\"}, matchExpressions: []},"
            + " excludedNamespaces: []}";

    Webhooks webhooks = Webhooks.of(Chart.render("mine", "gpu-team", values));

    for (Webhooks.Webhook webhook : webhooks.all()) {
      assertThat(webhook.scope().namespaces().getMatchLabels()).containsEntry("gpu", "yes");
      assertThat(webhook.scope().namespaces().getMatchExpressions())
          .extracting(WebhooksTest::text)
          .containsExactly("kubernetes.io/metadata.name NotIn [gpu-team]");
    }
  }

  @Test
  void asksAboutEveryPlaceThatAnnotationsCanComeFrom() {
    assertThat(standard.all())
        .extracting(webhook -> webhook.name() + " " + rule(webhook.rules()))
        .containsExactly(
            "mutate.cotenant.dev [CREATE] [pods]",
            "validate.cotenant.dev [CREATE] [pods]",
            "guard.cotenant.dev [CREATE, UPDATE] [pods]",
            "status.cotenant.dev [UPDATE] [pods/status, pods/ephemeralcontainers, pods/resize]",
            "binding.cotenant.dev [CREATE] [pods/binding, bindings]");
  }

  private static String rule(List<RuleWithOperations> rules) {
    assertThat(rules).hasSize(1);
    RuleWithOperations rule = rules.getFirst();
    assertThat(rule.getApiGroups()).containsExactly("");
    assertThat(rule.getApiVersions()).containsExactly("v1");
    assertThat(rule.getScope()).isEqualTo("Namespaced");
    return rule.getOperations() + " " + rule.getResources();
  }

  @Test
  void isAskedAgainWhenAnotherWebhookChangesThePod() {
    MutatingWebhookConfiguration mutating =
        Chart.render("{}").only(MutatingWebhookConfiguration.class);

    assertThat(mutating.getWebhooks().getFirst().getReinvocationPolicy()).isEqualTo("IfNeeded");
  }

  @Test
  void guardsEveryAnnotationThatOnlyCotenantWrites() {
    for (String name : CotenantAnnotations.WRITTEN) {
      assertThat(condition("guard.cotenant.dev", "opted-out-held-or-ours-changed"))
          .contains("'" + name + "'");
      assertThat(condition("status.cotenant.dev", "ours-changed")).contains("'" + name + "'");
    }
  }

  @Test
  void reviewsNeitherItsOwnChangesNorItsOwnBindings() {
    for (String webhook : List.of("guard.cotenant.dev", "binding.cotenant.dev")) {
      assertThat(condition(webhook, "not-cotenant"))
          .isEqualTo(
              "request.userInfo.username != 'system:serviceaccount:cotenant-system:cotenant'");
    }
  }

  @Test
  void guardsItsGate() {
    assertThat(condition("guard.cotenant.dev", "opted-out-held-or-ours-changed"))
        .contains(
            "oldObject.spec.schedulingGates.exists(gate, gate.name == '"
                + CotenantAnnotations.GATE
                + "')");
  }

  private String condition(String webhook, String name) {
    return condition(standard, webhook, name);
  }

  private static String condition(Webhooks webhooks, String webhook, String name) {
    return webhooks.named(webhook).conditions().stream()
        .filter(condition -> condition.getName().equals(name))
        .map(MatchCondition::getExpression)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void leavesMirrorPodsAndPodsWithNodesAlone() {
    assertThat(condition("mutate.cotenant.dev", "not-mirror"))
        .contains("'kubernetes.io/config.mirror' in object.metadata.annotations");
    assertThat(condition("mutate.cotenant.dev", "no-node-yet"))
        .isEqualTo("!has(object.spec.nodeName) || object.spec.nodeName == ''");
  }

  @Test
  void inModeImmediateAlsoHearsOfPodsThatEnd() {
    Webhooks immediate = Webhooks.of(Chart.render(IMMEDIATE));

    assertThat(rule(immediate.named("ended.cotenant.dev").rules())).isEqualTo("[DELETE] [pods]");
    // Kubelets delete pods that have a node: a condition on nodes would keep their capacity taken.
    assertThat(immediate.named("ended.cotenant.dev").conditions()).isEmpty();
    assertThat(condition(immediate, "status.cotenant.dev", "ours-changed-or-ended"))
        .startsWith(
            "(has(object.status.phase) && object.status.phase in ['Succeeded', 'Failed']) || ");
  }

  @Test
  void hearsOfFilledPodsThatFailWhereSomeAreFilled() {
    String values = "policies: {research: {namespaces: [research], mode: cap}}";

    assertThat(condition(Webhooks.of(Chart.render(values)), "status.cotenant.dev", "ours-changed"))
        .startsWith("(has(object.metadata.annotations) && 'cotenant.dev/filled' in ")
        .contains(
            "object.status.containerStatuses.exists(status, (has(status.state.terminated)",
            "object.status.initContainerStatuses.exists(status, (has(status.state.terminated)",
            "status.lastState.terminated.exitCode != 0");
    assertThat(condition("status.cotenant.dev", "ours-changed")).doesNotContain("exitCode");
  }

  @Test
  void reviewsTemplatesWhereSomeAreFilled() {
    String values =
        "policies: {research: {namespaces: [research], mode: fill, fillScope: templates}}";

    Webhooks webhooks = Webhooks.of(Chart.render(values));

    assertThat(webhooks.named("templates.cotenant.dev").rules())
        .extracting(rule -> rule.getOperations() + " " + rule.getResources())
        .containsExactly("[CREATE] [jobs]", "[CREATE] [jobsets]", "[CREATE] [trainjobs]");
    for (String other :
        List.of(
            "policies: {research: {namespaces: [research], mode: fill}}",
            "policy: {fillScope: templates, mode: enforce}",
            "policy: {fillScope: templates}\n"
                + "policies: {a: {namespaces: [a], mode: cap, fillScope: pods}}")) {
      assertThat(Webhooks.of(Chart.render(other)).all())
          .noneMatch(webhook -> webhook.name().startsWith("templates"));
    }
  }

  @Test
  void inModeImmediateNeverRunsTwoProcessesAtOnce() {
    Deployment deployment = Chart.render(IMMEDIATE).only(Deployment.class);

    assertThat(deployment.getSpec().getReplicas()).isEqualTo(1);
    assertThat(deployment.getSpec().getStrategy().getType()).isEqualTo("Recreate");
  }

  @Test
  void appliesFurtherConditionsToCreationsOfPods() {
    String values =
        "webhook: {matchConditions: [{name: not-ci, expression: \"request.namespace != 'ci'\"}]}";

    Webhooks webhooks = Webhooks.of(Chart.render(values));

    assertThat(condition(webhooks, "mutate.cotenant.dev", "not-ci"))
        .isEqualTo(condition(webhooks, "validate.cotenant.dev", "not-ci"))
        .isEqualTo("request.namespace != 'ci'");
  }

  @Test
  void registersNothingWhenSwitchedOff() {
    assertThat(Webhooks.of(Chart.render("webhook: {enabled: false}")).all()).isEmpty();
  }
}
