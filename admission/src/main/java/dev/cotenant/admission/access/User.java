package dev.cotenant.admission.access;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A user of the cluster as the API server authenticated it [UserInfo, authentication.k8s.io/v1].
 *
 * @param name {@code system:serviceaccount:team-a:default}; never empty
 * @param uid empty where the cluster gives none
 * @param groups the user's groups
 * @param extra further attributes by which authorizers decide, such as the pod of a token
 */
public record User(String name, String uid, Set<String> groups, Map<String, List<String>> extra) {
  private static final String SERVICE_ACCOUNT = "system:serviceaccount:";

  public User {
    if (name.isEmpty()) {
      throw new IllegalArgumentException("a user must have a name");
    }
    groups = Set.copyOf(groups);
    Map<String, List<String>> copy = new HashMap<>();
    extra.forEach((key, values) -> copy.put(key, List.copyOf(values)));
    extra = Map.copyOf(copy);
  }

  /**
   * The owner of a share of every cache and budget: all service accounts of a namespace have one,
   * since a tenant can create as many as it likes.
   */
  public String tenant() {
    int end = name.startsWith(SERVICE_ACCOUNT) ? name.indexOf(':', SERVICE_ACCOUNT.length()) : -1;
    return end < 0 ? name : name.substring(0, end);
  }
}
