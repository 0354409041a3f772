package dev.cotenant.admission.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TrustScopeTest {
  private static Policy trusting(String scope) {
    return Policy.DEFAULT.with(copy -> copy.trust = new TrustScope(scope));
  }

  @Test
  void trustsItsOwnNamespaceByDefault() {
    Policies policies = Policies.of(Policy.DEFAULT);

    assertThat(policies.trustDomain("team-a").includes("team-a")).isTrue();
    assertThat(policies.trustDomain("team-a").includes("team-b")).isFalse();
    assertThat(policies.trustDomain("team-a").includes("")).isFalse();
  }

  @Test
  void trustsNamespacesWhosePoliciesNameTheSameDomain() {
    Policies policies =
        new Policies(
            Policy.DEFAULT,
            Map.of("a", trusting("lab"), "b", trusting("lab"), "c", trusting("other")));

    assertThat(policies.trustDomain("a").includes("b")).isTrue();
    assertThat(policies.trustDomain("b").includes("a")).isTrue();
    assertThat(policies.trustDomain("a").includes("c")).isFalse();
    assertThat(policies.trustDomain("a").includes("d")).isFalse();
    assertThat(policies.trustDomain("d").includes("a")).isFalse();
  }

  /** A domain of this name is no namespace. */
  @Test
  void tellsADomainFromANamespaceOfItsName() {
    Policies policies = new Policies(Policy.DEFAULT, Map.of("a", trusting("team-b")));

    assertThat(policies.trustDomain("a").includes("team-b")).isFalse();
    assertThat(policies.trustDomain("team-b").includes("a")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "Cluster", "a/b", "namespace/team-a", "-x", "a b"})
  void refusesOtherNames(String name) {
    assertThatThrownBy(() -> new TrustScope(name))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + name + "'");
  }
}
