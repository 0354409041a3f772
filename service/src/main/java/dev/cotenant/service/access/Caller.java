package dev.cotenant.service.access;

import dev.cotenant.admission.access.User;
import dev.cotenant.domain.text.PlainText;
import dev.cotenant.domain.text.Sha256;
import java.security.Principal;
import java.util.Set;
import java.util.stream.Collectors;

/** Authenticated caller; records have its name. */
public sealed interface Caller extends Principal {
  /** As long as the columns of the store. */
  int MAX_RECORDED = 200;

  /** For people: the name with what the service knows of its rights. */
  String describe();

  /** The name on one line of at most 200 characters; longer ones end in a digest. */
  default String recorded() {
    String line = PlainText.of(getName());
    if (line.length() <= MAX_RECORDED) {
      return line;
    }
    String digest = Sha256.of(getName()).substring(0, 16);
    return line.substring(0, MAX_RECORDED - digest.length() - 1) + "~" + digest;
  }

  /** A user of the cluster, whose rights the cluster knows. */
  record ClusterUser(User user) implements Caller {
    @Override
    public String getName() {
      return "user " + user.name();
    }

    @Override
    public String describe() {
      return recorded();
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
    /** A caller on this machine without a token, where those are trusted. */
    public static final Caller LOCAL = new Holder("local", Role.OPERATOR, Set.of());

    /** The holder of the one configured token. */
    static final Caller CONFIGURED_TOKEN = new Holder("configured-token", Role.OPERATOR, Set.of());

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
