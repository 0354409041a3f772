package dev.cotenant.domain.workload;

import dev.cotenant.domain.InputException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Reads and writes the constants of an enum as options: in lower case, with hyphens. */
final class Choice {
  private Choice() {}

  static String text(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * The constant that a text names.
   *
   * @param what the option, as the message and the code {@code unknown-WHAT} name it
   * @throws InputException with all options when there is none
   */
  static <E extends Enum<E>> E parse(String what, Class<E> options, String text) {
    return Arrays.stream(options.getEnumConstants())
        .filter(constant -> text(constant).equals(text))
        .findFirst()
        .orElseThrow(() ->
            InputException.invalidArgument(
                "unknown-" + what,
                "Unknown " + what + " '" + text + "': use " + list(options) + "."));
  }

  private static String list(Class<? extends Enum<?>> options) {
    List<String> texts = Arrays.stream(options.getEnumConstants()).map(Choice::text).toList();
    int last = texts.size() - 1;
    return String.join(", ", texts.subList(0, last)) + " or " + texts.get(last);
  }
}
