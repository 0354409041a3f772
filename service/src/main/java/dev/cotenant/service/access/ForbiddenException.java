package dev.cotenant.service.access;

import dev.cotenant.admission.access.User;
import java.io.Serial;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A caller may not make a call; the message says which right it takes and how to get it. */
public final class ForbiddenException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  /** Names that need no quoting in a command line. */
  private static final Pattern PLAIN = Pattern.compile("[\\w.@:-]{1,340}");

  private static final String SERVICE_ACCOUNT = "system:serviceaccount:";

  ForbiddenException(Caller caller, Endpoint endpoint, @Nullable String namespace) {
    super(
        caller.describe()
            + " may not "
            + endpoint.permission(namespace)
            + ". "
            + remedy(caller, endpoint, namespace)
            + (endpoint.scope() == Endpoint.Scope.QUERY && namespace == null
                ? " A right in one namespace suffices with ?namespace=NAME."
                : ""));
  }

  private static String remedy(Caller caller, Endpoint endpoint, @Nullable String namespace) {
    return switch (caller) {
      case Caller.ClusterUser(User user) ->
          "An administrator can bind a role that allows it: kubectl create "
              + (namespace == null ? "clusterrolebinding" : "rolebinding -n " + namespace)
              + " NAME --clusterrole=cotenant-"
              + endpoint.least()
              + " "
              + subject(user.name())
              + ".";
      case Caller.Holder _ ->
          "It takes role "
              + endpoint.least()
              + (namespace == null ? " without namespaces" : " with namespace " + namespace)
              + " in the file of cotenant.rest.tokens-file.";
    };
  }

  private static String subject(String user) {
    if (!PLAIN.matcher(user).matches()) {
      return "--user=USER";
    }
    return user.startsWith(SERVICE_ACCOUNT)
        ? "--serviceaccount=" + user.substring(SERVICE_ACCOUNT.length())
        : "--user=" + user;
  }
}
