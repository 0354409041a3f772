package dev.cotenant.domain.workload;

import dev.cotenant.domain.InputException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads and writes the constants of an enum as options: in lower case, with hyphens. */
final class Choice {
  /** Constants by text, made once for each enum: pods are read at a high rate. */
  private static final ClassValue<Map<String, Object>> BY_TEXT =
      new ClassValue<>() {
        @Override
        protected Map<String, Object> computeValue(Class<?> options) {
          Map<String, Object> constants = new HashMap<>();
          for (Object constant : options.getEnumConstants()) {
            constants.put(text((Enum<?>) constant), constant);
          }
          return constants;
        }
      };

  private Choice() {}

  static String text(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * The constant that a text names.
   *
   * @param what the option, as the message and the code {@code unknown-WHAT} name it
   * @throws InputException listing all options, if none matches
   */
  static <E extends Enum<E>> E parse(String what, Class<E> options, String text) {
    @Nullable Object constant = BY_TEXT.get(options).get(text);
    if (constant == null) {
      throw InputException.invalidArgument(
          "unknown-" + what, "Unknown " + what + " '" + text + "': use " + list(options) + ".");
    }
    return options.cast(constant);
  }

  private static String list(Class<? extends Enum<?>> options) {
    List<String> texts = Arrays.stream(options.getEnumConstants()).map(Choice::text).toList();
    int last = texts.size() - 1;
    return String.join(", ", texts.subList(0, last)) + " or " + texts.get(last);
  }
}
