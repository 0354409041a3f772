package dev.cotenant.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** What accounts of a release may do. */
final class Permissions {
  private Permissions() {}

  /** What no role of a release ever allows. */
  static void check(Manifests objects) {
    List<PolicyRule> clusterWide = new ArrayList<>();
    objects.all(ClusterRole.class).forEach(role -> clusterWide.addAll(role.getRules()));
    List<PolicyRule> all = new ArrayList<>(clusterWide);
    objects.all(Role.class).forEach(role -> all.addAll(role.getRules()));
    for (PolicyRule rule : all) {
      assertThat(rule.getVerbs())
          .isNotEmpty()
          .doesNotContain("*", "escalate", "bind", "impersonate");
      assertThat(rule.getResources()).isNotEmpty().doesNotContain("*", "pods/exec");
      assertThat(rule.getApiGroups()).isNotEmpty().doesNotContain("*");
      assertThat(rule.getNonResourceURLs()).isEmpty();
    }
    assertThat(clusterWide)
        .flatExtracting(PolicyRule::getResources)
        .doesNotContain("secrets", "configmaps", "serviceaccounts", "leases");
  }

  /** Rules as {@code verb group/resource[name]}, one for each verb, sorted. */
  static Set<String> lines(List<PolicyRule> rules) {
    Set<String> lines = new TreeSet<>();
    for (PolicyRule rule : rules) {
      for (String resource : rule.getResources()) {
        for (String verb : rule.getVerbs()) {
          lines.add(verb + " " + where(rule) + resource + names(rule));
        }
      }
    }
    return lines;
  }

  private static String where(PolicyRule rule) {
    String group = rule.getApiGroups().getFirst();
    return group.isEmpty() ? "" : group + "/";
  }

  private static String names(PolicyRule rule) {
    return rule.getResourceNames().isEmpty() ? "" : rule.getResourceNames().toString();
  }
}
