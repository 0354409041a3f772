package dev.cotenant.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.Role;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Exactly what is needed: a verb more or less is a change of this list. */
class PermissionsTest {
  private static final Set<String> STANDARD =
      Set.of(
          // What the controller watches, and the patch that removes the gate.
          "list pods",
          "watch pods",
          "patch pods",
          "list nodes",
          "watch nodes",
          // Which namespaces are opted in.
          "list namespaces",
          "watch namespaces",
          // Why a pod waits.
          "create events",
          // Whose a bearer token is.
          "create authentication.k8s.io/tokenreviews");

  @Test
  void readsTheClusterAndPatchesPods() {
    assertThat(clusterWide("{}", "cotenant")).isEqualTo(STANDARD);
  }

  @Test
  void leadsByOneLeaseOfItsOwnNamespaceAndKeepsStateInConfigMapsOfItsOwn() {
    String kept =
        "[cotenant-leader-notes-0, "
            + IntStream.range(0, 8)
                .mapToObj(i -> "cotenant-leader-reservations-" + i)
                .collect(Collectors.joining(", "))
            + "]";
    assertThat(Permissions.lines(Chart.render("{}").only(Role.class).getRules()))
        .containsExactlyInAnyOrder(
            "create coordination.k8s.io/leases",
            "get coordination.k8s.io/leases[cotenant-leader]",
            "update coordination.k8s.io/leases[cotenant-leader]",
            "create configmaps",
            "get configmaps" + kept,
            "update configmaps" + kept);
  }

  @Test
  void deletesPodsOnlyWhereThatIsSwitchedOn() {
    assertThat(clusterWide("rbac: {deletePods: true}", "cotenant"))
        .containsAll(STANDARD)
        .contains("delete pods")
        .hasSize(STANDARD.size() + 1);
  }

  @Test
  void makesClaimsOnlyWhereGpusAreTargetedByThem() {
    Set<String> claims =
        Set.of(
            "create resource.k8s.io/resourceclaims",
            "get resource.k8s.io/resourceclaims",
            "patch resource.k8s.io/resourceclaims");

    assertThat(clusterWide("policy: {targeting: dra}", "cotenant"))
        .containsAll(STANDARD)
        .containsAll(claims)
        .hasSize(STANDARD.size() + claims.size());
    assertThat(clusterWide("policies: {a: {namespaces: [a], targeting: dra}}", "cotenant"))
        .containsAll(claims);
  }

  @Test
  void asksWhoseTokensAreOnlyWhereThatIsSwitchedOn() {
    assertThat(clusterWide("rbac: {tokenReviews: false}", "cotenant"))
        .doesNotContain("create authentication.k8s.io/tokenreviews")
        .hasSize(STANDARD.size() - 1);
  }

  @Test
  void onlyTheUninstallerMayDeleteWebhooksAndOnlyThoseOfTheRelease() {
    assertThat(clusterWide("{}", "cotenant-uninstall"))
        .containsExactlyInAnyOrder(
            "delete admissionregistration.k8s.io/mutatingwebhookconfigurations[cotenant]",
            "delete admissionregistration.k8s.io/validatingwebhookconfigurations[cotenant]",
            "get pods",
            "list pods",
            "patch pods");
  }

  private static Set<String> clusterWide(String values, String name) {
    return Permissions.lines(Chart.render(values).named(ClusterRole.class, name).getRules());
  }
}
