package dev.cotenant.service.access;

import dev.cotenant.admission.access.User;
import java.security.Principal;
import java.util.Set;
import java.util.stream.Collectors;

/** Who makes a call, as authenticated; its name is what is recorded. */
public sealed interface Caller extends Principal {
  /** A caller on this machine without a token, where those are trusted. */
  Caller LOCAL = new Holder("local", Role.OPERATOR, Set.of());

  /** The holder of the one configured token. */
  Caller CONFIGURED_TOKEN = new Holder("configured-token", Role.OPERATOR, Set.of());

  /** For people, beside {@link #getName}. */
  String describe();

  /** A user of the cluster, whose rights the cluster knows. */
  record ClusterUser(User user) implements Caller {
    @Override
    public String getName() {
      return "user " + user.name();
    }

    @Override
    public String describe() {
      return getName();
    }
  }

  /**
   * A caller whose rights the service itself knows.
   *
   * @param getName unlike that of any cluster user, which starts with {@code user}
   * @param role what it may do
   * @param namespaces where; empty for the whole cluster
   */
  record Holder(String getName, Role role, Set<String> namespaces) implements Caller {
    public Holder {
      namespaces = Set.copyOf(namespaces);
    }

    @Override
    public String describe() {
      return getName
          + " (role "
          + role
          + (namespaces.isEmpty()
              ? ")"
              : " in " + namespaces.stream().sorted().collect(Collectors.joining(", ")) + ")");
    }
  }
}
