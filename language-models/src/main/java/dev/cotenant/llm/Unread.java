package dev.cotenant.llm;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What is not known of a server's command; its bounds are wider and state no coverage.
 *
 * @param version whether nothing states the release, so that the defaults may be a newer one's
 * @param arguments one line for each text that may hold any argument, such as an unread file
 * @param uncounted one line for each argument whose memory no formula counts, and for the release
 */
public record Unread(boolean version, List<String> arguments, List<String> uncounted) {
  /** Everything is known. */
  public static final Unread NONE = new Unread(false, List.of(), List.of());

  /** How the lines of readers end that name an argument which no formula counts. */
  private static final String UNCOUNTED = "is not counted";

  public Unread {
    arguments = List.copyOf(arguments);
    uncounted = List.copyOf(uncounted);
  }

  /**
   * Of a reader's lines.
   *
   * @param version whether nothing states the release; a line about it holds no argument
   */
  public static Unread of(boolean version, List<String> lines) {
    Map<Boolean, List<String>> split =
        lines.stream()
            .collect(
                Collectors.partitioningBy(
                    line -> line.endsWith(UNCOUNTED) || (version && line.contains(" version"))));
    return new Unread(
        version, split.getOrDefault(false, List.of()), split.getOrDefault(true, List.of()));
  }

  boolean isNone() {
    return !version && arguments.isEmpty() && uncounted.isEmpty();
  }
}
