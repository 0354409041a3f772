package dev.cotenant.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBinding;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
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
          // Which nodes reach the volumes of a pod.
          "list persistentvolumes",
          "watch persistentvolumes",
          "list persistentvolumeclaims",
          "watch persistentvolumeclaims",
          // Which GPUs are allocated to ResourceClaims.
          "list resource.k8s.io/resourceclaims",
          "watch resource.k8s.io/resourceclaims",
          "list resource.k8s.io/resourceslices",
          "watch resource.k8s.io/resourceslices",
          // Which namespaces are opted in.
          "list namespaces",
          "watch namespaces",
          // Why a pod waits.
          "create events",
          // Whose a bearer token is.
          "create authentication.k8s.io/tokenreviews",
          // What its user may do.
          "create authorization.k8s.io/subjectaccessreviews");

  private static final Set<String> VIEWER =
      Set.of(
          "list cotenant.dev/constants",
          "list cotenant.dev/decisions",
          "list cotenant.dev/devices",
          "get cotenant.dev/explanations",
          "get cotenant.dev/fleets",
          "list cotenant.dev/fleets",
          "get cotenant.dev/gpus",
          "list cotenant.dev/gpus",
          "get cotenant.dev/models",
          "list cotenant.dev/kvcaches",
          "list cotenant.dev/memoryshortages",
          "list cotenant.dev/models",
          "list cotenant.dev/predictors",
          "list cotenant.dev/profiles",
          "list cotenant.dev/queue",
          "list cotenant.dev/recommendations",
          "list cotenant.dev/replays",
          "list cotenant.dev/serviceprofiles",
          "get cotenant.dev/reservations",
          "get cotenant.dev/trainings",
          "list cotenant.dev/trainings");

  private static final Set<String> EDITOR =
      Set.of(
          "create cotenant.dev/decisions",
          "create cotenant.dev/plans",
          "create cotenant.dev/predictions",
          "create cotenant.dev/predictors",
          "create cotenant.dev/profiles",
          "create cotenant.dev/replays",
          "create cotenant.dev/reservations",
          "create cotenant.dev/speeds",
          "create cotenant.dev/serviceprofiles",
          "delete cotenant.dev/serviceprofiles",
          "delete cotenant.dev/memoryshortages",
          "update cotenant.dev/reservations",
          "delete cotenant.dev/reservations",
          "update cotenant.dev/models");

  private static final Set<String> OPERATOR =
      Set.of(
          "promote cotenant.dev/predictors",
          "rollback cotenant.dev/predictors",
          "delete cotenant.dev/models",
          "delete cotenant.dev/predictors",
          "delete cotenant.dev/profiles",
          "rollback cotenant.dev/constants",
          "create cotenant.dev/fleets",
          "delete cotenant.dev/fleets",
          "create cotenant.dev/trainings",
          "delete cotenant.dev/trainings",
          "create cotenant.dev/extender");

  private static final String AGGREGATE = "rbac.authorization.k8s.io/aggregate-to-";

  @Test
  void readsTheClusterAndPatchesPods() {
    assertThat(clusterWide("{}", "cotenant")).isEqualTo(STANDARD);
  }

  @Test
  void leadsByOneLeaseOfItsOwnNamespaceAndKeepsStateInConfigMapsOfItsOwn() {
    String kept =
        "[cotenant-leader-state-0, "
            + IntStream.range(0, 8)
                .mapToObj(i -> "cotenant-leader-reservations-" + i)
                .collect(Collectors.joining(", "))
            + "]";
    assertThat(Permissions.lines(Chart.render("{}").named(Role.class, "cotenant").getRules()))
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
  void fillsWithoutRightsOnAnyObject() {
    String values = Chart.read("examples/values/fill.yaml");

    assertThat(clusterWide(values, "cotenant"))
        .containsExactlyInAnyOrder(
            "create authentication.k8s.io/tokenreviews",
            "create authorization.k8s.io/subjectaccessreviews");
    assertThat(Chart.render(values).toString()).doesNotContain("leases");
  }

  @Test
  void makesClaimsOnlyWhereGpusAreTargetedByThem() {
    Set<String> claims =
        Set.of(
            "create resource.k8s.io/resourceclaims",
            "get resource.k8s.io/resourceclaims",
            "patch resource.k8s.io/resourceclaims");

    assertThat(clusterWide("policy: {gpuAssignment: dra}", "cotenant"))
        .containsAll(STANDARD)
        .containsAll(claims)
        .hasSize(STANDARD.size() + claims.size());
    assertThat(clusterWide("policies: {a: {namespaces: [a], gpuAssignment: dra}}", "cotenant"))
        .containsAll(claims);
  }

  @Test
  void bindsPodsOnlyWhereASchedulerPlacesThem() {
    Set<String> rights = Set.of("create pods/binding");
    for (String values :
        List.of(
            "scheduler: {enabled: true}",
            "policy: {schedulerName: default-scheduler}",
            "policies: {a: {namespaces: [a], schedulerName: mine}}")) {
      assertThat(clusterWide(values, "cotenant"))
          .as(values)
          .containsAll(STANDARD)
          .containsAll(rights)
          .hasSize(STANDARD.size() + rights.size());
    }
  }

  @Test
  void evictsPodsOnlyWhereAPolicyPreemptsSo() {
    for (String values :
        List.of(
            "policy: {preemption: evict}",
            "policies: {a: {namespaces: [a], preemption: evict}}",
            "policy: {guard: act}",
            "policies: {a: {namespaces: [a], guard: act}}")) {
      assertThat(clusterWide(values, "cotenant"))
          .as(values)
          .containsAll(STANDARD)
          .contains("create pods/eviction")
          .hasSize(STANDARD.size() + 1);
    }
    assertThat(clusterWide("policy: {preemption: not-started, guard: observe}", "cotenant"))
        .doesNotContain("create pods/eviction");
  }

  @Test
  void givesTheSecondSchedulerTheRightsOfTheFirstAndOneLease() {
    Manifests objects = Chart.render("scheduler: {enabled: true}");

    assertThat(objects.all(ClusterRoleBinding.class))
        .filteredOn(binding -> binding.getSubjects().getFirst().getName().endsWith("-scheduler"))
        .extracting(binding -> binding.getRoleRef().getName())
        .containsExactlyInAnyOrder("system:kube-scheduler", "system:volume-scheduler");
    assertThat(Permissions.lines(objects.named(Role.class, "cotenant-scheduler").getRules()))
        .containsExactlyInAnyOrder(
            "create coordination.k8s.io/leases",
            "get coordination.k8s.io/leases[cotenant-scheduler]",
            "update coordination.k8s.io/leases[cotenant-scheduler]");
    assertThat(objects.all(RoleBinding.class))
        .filteredOn(binding -> binding.getMetadata().getNamespace().equals("kube-system"))
        .singleElement()
        .extracting(binding -> binding.getRoleRef().getName())
        .isEqualTo("extension-apiserver-authentication-reader");
    assertThat(
            Chart.render("{rbac: {create: false}, scheduler: {enabled: true}}")
                .withoutHooks()
                .documents())
        .noneMatch(object -> object.path("kind").asText().contains("Role"));
  }

  @Test
  void writesOnlyInTheNamespacesThatAreNamed() {
    Manifests objects =
        Chart.render("{rbac: {namespaces: [a, b], deletePods: true}, policy: {preemption: evict}}");

    assertThat(Permissions.lines(objects.named(ClusterRole.class, "cotenant").getRules()))
        .noneMatch(line -> line.matches("(patch|delete|create) (pods|events).*"));
    assertThat(objects.all(Role.class))
        .filteredOn(role -> role.getMetadata().getName().equals("cotenant-writes"))
        .allSatisfy(role ->
            assertThat(Permissions.lines(role.getRules()))
                .containsExactly(
                    "create events", "create pods/eviction", "delete pods", "patch pods"))
        .extracting(role -> role.getMetadata().getNamespace())
        .containsExactly("a", "b");
    assertThat(objects.all(RoleBinding.class))
        .filteredOn(binding -> binding.getMetadata().getName().equals("cotenant-writes"))
        .extracting(binding -> binding.getMetadata().getNamespace())
        .containsExactly("a", "b");
    assertThat(Permissions.lines(objects.named(Role.class, "cotenant").getRules()))
        .as("the label of its own pod that leads")
        .contains("patch pods");
  }

  @Test
  void asksWhoseTokensAreOnlyWhereThatIsSwitchedOn() {
    assertThat(clusterWide("rbac: {tokenReviews: false}", "cotenant"))
        .doesNotContain(
            "create authentication.k8s.io/tokenreviews",
            "create authorization.k8s.io/subjectaccessreviews")
        .hasSize(STANDARD.size() - 2);
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

  @Test
  void everyRoleOfCallersHasTheRightsOfTheRoleBelowIt() {
    Set<String> editor = new TreeSet<>(VIEWER);
    editor.addAll(EDITOR);
    Set<String> operator = new TreeSet<>(editor);
    operator.addAll(OPERATOR);

    assertThat(clusterWide("{}", "cotenant-viewer")).isEqualTo(VIEWER);
    assertThat(clusterWide("{}", "cotenant-editor")).isEqualTo(editor);
    assertThat(clusterWide("{}", "cotenant-operator")).isEqualTo(operator);
    assertThat(clusterWide("{}", "cotenant-scheduler"))
        .containsExactly("create cotenant.dev/extender");
  }

  @Test
  void rolesOfCallersAreAddedToTheUsualOnesUnlessSwitchedOff() {
    assertThat(aggregated("{}", "cotenant-viewer")).containsExactly(AGGREGATE + "view");
    assertThat(aggregated("{}", "cotenant-editor")).containsExactly(AGGREGATE + "edit");
    assertThat(aggregated("{}", "cotenant-operator")).containsExactly(AGGREGATE + "admin");
    assertThat(aggregated("{}", "cotenant-scheduler")).isEmpty();
    assertThat(aggregated("rbac: {aggregate: false}", "cotenant-operator")).isEmpty();
  }

  @Test
  void rolesOfCallersCanBeLeftOut() {
    for (String values : List.of("rbac: {roles: false}", "rbac: {create: false}")) {
      assertThat(Chart.render(values).all(ClusterRole.class))
          .extracting(role -> role.getMetadata().getName())
          .doesNotContain("cotenant-viewer", "cotenant-editor", "cotenant-operator");
    }
  }

  @Test
  void schedulersAreBoundToTheirRoleAlone() {
    Manifests objects =
        Chart.render(
            "rbac: {schedulers: [{kind: ServiceAccount, name: gpus, namespace: kube-system}]}");
    ClusterRoleBinding binding = objects.named(ClusterRoleBinding.class, "cotenant-scheduler");

    assertThat(binding.getRoleRef().getName()).isEqualTo("cotenant-scheduler");
    assertThat(binding.getSubjects())
        .singleElement()
        .satisfies(subject -> assertThat(subject.getName()).isEqualTo("gpus"));
  }

  @Test
  void usersOfKubectlReachTheServiceAndNothingElse() {
    Manifests objects =
        Chart.render("rbac: {kubectlUsers: [{kind: Group, name: ml, apiGroup: rbac}]}");

    assertThat(Permissions.lines(objects.named(ClusterRole.class, "cotenant-kubectl").getRules()))
        .containsExactly("list admissionregistration.k8s.io/mutatingwebhookconfigurations");
    assertThat(Permissions.lines(objects.named(Role.class, "cotenant-kubectl").getRules()))
        .containsExactlyInAnyOrder(
            "get services[cotenant-leader]", "get pods", "list pods", "create pods/portforward");
    assertThat(objects.named(RoleBinding.class, "cotenant-kubectl").getSubjects()).hasSize(1);
    assertThat(objects.named(ClusterRoleBinding.class, "cotenant-kubectl").getSubjects())
        .hasSize(1);
    assertThat(Chart.render("{}").all(RoleBinding.class))
        .noneMatch(binding -> binding.getMetadata().getName().equals("cotenant-kubectl"));
  }

  private static Set<String> aggregated(String values, String name) {
    return Chart.render(values)
        .named(ClusterRole.class, name)
        .getMetadata()
        .getLabels()
        .keySet()
        .stream()
        .filter(label -> label.startsWith(AGGREGATE))
        .collect(Collectors.toSet());
  }

  private static Set<String> clusterWide(String values, String name) {
    return Permissions.lines(Chart.render(values).named(ClusterRole.class, name).getRules());
  }
}
