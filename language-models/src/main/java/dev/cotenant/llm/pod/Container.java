package dev.cotenant.llm.pod;

import java.util.List;
import java.util.Map;

/**
 * What a manifest says about one container.
 *
 * @param image with its tag
 * @param command replaces the image's entry point; empty for none
 * @param args its arguments
 * @param environment variables with a literal value; those from secrets and the like are absent
 */
public record Container(
    String image, List<String> command, List<String> args, Map<String, String> environment) {
  public Container {
    command = List.copyOf(command);
    args = List.copyOf(args);
    environment = Map.copyOf(environment);
  }
}
