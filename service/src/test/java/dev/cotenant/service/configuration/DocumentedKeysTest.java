package dev.cotenant.service.configuration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.testing.GeneratedPart;
import dev.cotenant.service.RunningService;
import io.smallrye.config.WithDefault;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** docs/configuration.md against the keys and defaults of the code. */
class DocumentedKeysTest {
  private static final Pattern ROW =
      Pattern.compile("\\| `(cotenant\\.[a-z.<>-]+)` \\| (?:`([^`]*)`|none) \\|.*");

  @Test
  void isDocumentedKeyByKey() throws IOException {
    Map<String, String> documented = documented();
    Map<String, String> code = keysOfTheCode();
    assertThat(documented.keySet()).isEqualTo(code.keySet());
    documented.forEach((key, value) -> {
      if (!isOfPolicy(key)) {
        assertThat(value).as(key).isEqualTo(code.get(key));
      }
    });
  }

  /** Of policies the code has defaults of settings, not of keys: setting them changes nothing. */
  @Test
  void hasTheDocumentedDefaultsOfPolicies() throws IOException {
    for (Map.Entry<String, String> key : documented().entrySet()) {
      if (isOfPolicy(key.getKey())) {
        assertThat(ConfigurationTest.read(Map.of(key.getKey(), key.getValue())).policies())
            .as(key.getKey())
            .isEqualTo(ConfigurationTest.read(Map.of()).policies());
      }
    }
  }

  /** In the order of the code. */
  @Test
  void hasTheRowsOfLimitsThatTheCodeHas() {
    String source =
        "service/src/main/java/dev/cotenant/service/configuration/LimitsConfiguration.java";
    List<String> rows = new ArrayList<>();
    rows.add("| key | default | range | meaning |");
    rows.add("|---|---|---|---|");
    for (String method : GeneratedPart.declared(source, "(?m)^  Optional\\S* (\\w+)\\(\\);")) {
      rows.add(
          "| `cotenant.policy.limits."
              + kebabCase(method)
              + "` | "
              + GeneratedPart.note(source, " " + method + "();").orElseThrow()
              + " |");
    }
    GeneratedPart.check("docs/configuration.md", "DocumentedKeysTest", rows);
  }

  private static boolean isOfPolicy(String key) {
    return key.startsWith("cotenant.policy.") && !key.endsWith(">");
  }

  private static Map<String, String> documented() throws IOException {
    Map<String, String> documented = new TreeMap<>();
    for (String line : Files.readAllLines(RunningService.root().resolve("docs/configuration.md"))) {
      Matcher row = ROW.matcher(line);
      if (row.matches()) {
        documented.put(row.group(1), Optional.ofNullable(row.group(2)).orElse(""));
      }
    }
    return documented;
  }

  /** Every key with its default, empty where it has none; named groups as one key. */
  static Map<String, String> keysOfTheCode() {
    Map<String, String> keys = new TreeMap<>();
    collect("cotenant", CotenantConfiguration.class, keys);
    return keys;
  }

  private static void collect(String prefix, Class<?> mapping, Map<String, String> keys) {
    for (Method method : mapping.getDeclaredMethods()) {
      if (Modifier.isStatic(method.getModifiers())) {
        continue;
      }
      String key = prefix + "." + kebabCase(method.getName());
      if (method.getReturnType().isInterface()
          && method.getReturnType().getPackage().equals(mapping.getPackage())) {
        collect(key, method.getReturnType(), keys);
      } else if (method.getReturnType().equals(Map.class)) {
        keys.put(key + (key.endsWith("devices") ? ".<device>" : ".<name>"), "");
      } else {
        WithDefault value = method.getAnnotation(WithDefault.class);
        keys.put(key, value == null ? "" : value.value());
      }
    }
  }

  private static String kebabCase(String name) {
    return name.replaceAll("([A-Z])", "-$1").toLowerCase(java.util.Locale.ROOT);
  }
}
