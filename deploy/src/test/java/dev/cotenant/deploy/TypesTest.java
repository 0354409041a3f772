package dev.cotenant.deploy;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** That the checks of the other tests do find what they are for. */
class TypesTest {
  @Test
  void findsAFieldThatTheApiDoesNotHave() {
    String misspelt =
        """
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: x}
        spec: {template: {spec: {containers: [{name: x, image: y, imagePulPolicy: Always}]}}}
        """;

    assertThatThrownBy(() -> Types.read(Manifests.parseOne(misspelt)))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("imagePulPolicy");
  }

  @Test
  void findsAValueOfAnotherType() {
    String text =
        """
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: x}
        spec: {replicas: two}
        """;

    assertThatThrownBy(() -> Types.read(Manifests.parseOne(text)))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("replicas");
  }

  @Test
  void findsAnApiThatIsNotThere() {
    String old = "{apiVersion: policy/v1beta1, kind: PodDisruptionBudget, metadata: {name: x}}";

    assertThatThrownBy(() -> Types.read(Manifests.parseOne(old)))
        .hasMessageContaining("policy/v1beta1/PodDisruptionBudget");
  }

  @Test
  void findsBracketsThatStayOpenAndNamesThatAreNotThere() {
    assertThatThrownBy(() -> MatchConditions.expression("has(object.spec"))
        .isInstanceOf(AssertionError.class);
    assertThatThrownBy(() -> MatchConditions.expression("pod.spec.nodeName == ''"))
        .hasMessageContaining("pod is known");
  }
}
