package dev.cotenant.admission.pod;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * KAI's request and limit of memory, by container: annotations {@code
 * nvidia.com/container.NAME.gpu-memory.request} and {@code .limit} with quantities such as {@code
 * 8Gi}; without a limit it is the request [KAI 0.18, gpuSharingMode NvFractions]. Older versions
 * have one annotation for all containers.
 */
final class KaiMemory {
  private static final String PREFIX = "nvidia.com/container.";

  private static final Pattern NAME =
      Pattern.compile(Pattern.quote(PREFIX) + "([a-z0-9-]{1,63})\\.gpu-memory\\.(request|limit)");

  private KaiMemory() {}

  /** The names for a container, the request first. */
  static List<String> names(String container) {
    String name = PREFIX + container + ".gpu-memory.";
    return List.of(name + "request", name + "limit");
  }

  /**
   * The container named by these annotations, the first in alphabetical order; a valid pod names at
   * most one.
   */
  static Optional<String> container(Collection<String> annotations) {
    return annotations.stream()
        .map(NAME::matcher)
        .filter(Matcher::matches)
        .map(matcher -> matcher.group(1))
        .sorted()
        .findFirst();
  }
}
