package dev.cotenant.llm.pod;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a manifest says about one container.
 *
 * @param image with its tag
 * @param command replaces the image's entry point; empty for none
 * @param args its arguments
 * @param environment variables with a literal value
 * @param unread variables whose value comes from a secret, a field or the like
 * @param hasMore whether config maps or secrets declare variables that are not named here
 */
public record Container(
    String image,
    List<String> command,
    List<String> args,
    Map<String, String> environment,
    Set<String> unread,
    boolean hasMore) {
  public Container {
    command = List.copyOf(command);
    args = List.copyOf(args);
    environment = Map.copyOf(environment);
    unread = Set.copyOf(unread);
  }

  /** A container that declares every variable itself. */
  public Container(
      String image,
      List<String> command,
      List<String> args,
      Map<String, String> environment,
      Set<String> unread) {
    this(image, command, args, environment, unread, false);
  }
}
