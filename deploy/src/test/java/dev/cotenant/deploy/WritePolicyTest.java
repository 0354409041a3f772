package dev.cotenant.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicy;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicyBinding;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.Validation;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each right to write to pods has a policy that limits it; none limits anybody else. */
class WritePolicyTest {
  private static final String HAMI = "nvidia.com/use-gpuuuid";

  private static List<String> policies(String values) {
    return Chart.render(values).all(ValidatingAdmissionPolicy.class).stream()
        .map(policy -> policy.getMetadata().getName())
        .toList();
  }

  private static List<String> expressions(String values) {
    return Chart.render(values).all(ValidatingAdmissionPolicy.class).stream()
        .flatMap(policy -> policy.getSpec().getValidations().stream())
        .map(Validation::getExpression)
        .toList();
  }

  @Test
  void followsTheRightsOfTheRelease() {
    assertThat(policies("{}")).containsExactly("cotenant-writes");
    assertThat(policies("rbac: {deletePods: true}"))
        .containsExactlyInAnyOrder("cotenant-writes", "cotenant-writes-delete");
    assertThat(policies("policy: {schedulerName: default-scheduler}"))
        .containsExactlyInAnyOrder("cotenant-writes", "cotenant-writes-bindings");
    for (String evicts : List.of("preemption: evict", "guard: act")) {
      assertThat(policies("policy: {" + evicts + "}"))
          .containsExactlyInAnyOrder("cotenant-writes", "cotenant-writes-evictions");
    }
    assertThat(policies("policy: {gpuAssignment: dra}"))
        .containsExactlyInAnyOrder("cotenant-writes", "cotenant-writes-claims");
    assertThat(policies("rbac: {writePolicy: false}")).isEmpty();
    assertThat(policies("rbac: {create: false}")).isEmpty();
  }

  @Test
  void deniesByItsBindingAndConcernsTheAccountsOfTheRelease() {
    Manifests objects =
        Chart.render(
            "{rbac: {deletePods: true}, policy: {schedulerName: default-scheduler, preemption:"
                + " evict}, policies: {claims: {namespaces: [a], gpuAssignment: dra}}}");
    List<ValidatingAdmissionPolicy> policies = objects.all(ValidatingAdmissionPolicy.class);

    assertThat(objects.all(ValidatingAdmissionPolicyBinding.class))
        .allSatisfy(
            binding -> assertThat(binding.getSpec().getValidationActions()).containsExactly("Deny"))
        .extracting(binding -> binding.getSpec().getPolicyName())
        .hasSize(5)
        .containsExactlyInAnyOrderElementsOf(
            policies.stream().map(policy -> policy.getMetadata().getName()).toList());
    assertThat(policies)
        .allSatisfy(policy -> {
          assertThat(policy.getSpec().getFailurePolicy()).isEqualTo("Fail");
          assertThat(policy.getSpec().getMatchConditions())
              .singleElement()
              .extracting(condition -> condition.getExpression())
              .isEqualTo(
                  "request.userInfo.username in ['system:serviceaccount:cotenant-system:cotenant',"
                      + " 'system:serviceaccount:cotenant-system:cotenant-uninstall']");
        });
  }

  @Test
  void endsPodsAndClaimsDevicesOnlyWhereTheWebhooksTakePodsIn() {
    String label = "variables.namespaceLabels['%s'] in ['%s']";
    for (String rights : List.of("preemption: evict", "gpuAssignment: dra")) {
      assertThat(expressions("policy: {" + rights + "}"))
          .anySatisfy(expression ->
              assertThat(expression)
                  .contains(label.formatted("cotenant.dev/colocation", "enabled"))
                  .contains("!('kubernetes.io/metadata.name' in variables.namespaceLabels")
                  .contains(
                      label.formatted(
                          "kubernetes.io/metadata.name", "kube-system', 'cotenant-system")));
      assertThat(
              expressions(
                  "{policy: {"
                      + rights
                      + "}, webhook: {namespaceSelector: {matchLabels: {team: a}, matchExpressions:"
                      + " [{key: gpu, operator: Exists}, {key: old, operator: DoesNotExist}]}}}"))
          .anyMatch(expression ->
              expression.startsWith(
                  "('team' in variables.namespaceLabels && variables.namespaceLabels['team'] =="
                      + " 'a') && ('gpu' in variables.namespaceLabels) && !('old' in"
                      + " variables.namespaceLabels) && !("));
    }
  }

  @Test
  void allowsTheAnnotationOfHamiOnlyWhereAPolicyTargetsGpusByIt() {
    assertThat(expressions("{}")).noneMatch(expression -> expression.contains(HAMI));
    assertThat(expressions("policy: {gpuAssignment: hami}"))
        .anyMatch(expression -> expression.contains(HAMI));
  }
}
