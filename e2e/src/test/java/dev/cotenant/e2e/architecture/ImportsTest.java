package dev.cotenant.e2e.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Import statements form no cycle, those for Javadoc links and type hints included. */
class ImportsTest {
  private static final Path ROOT = Path.of(System.getProperty("cotenant.root"));

  private static final Pattern JAVA =
      Pattern.compile("(?m)^import (?:static )?(dev\\.cotenant(?:\\.[a-z0-9_]+)*)\\.[A-Z]");
  private static final Pattern PYTHON =
      Pattern.compile("(?m)^ *from ((?:\\.|cotenant\\.)[a-z_.]+) import");

  private static List<Path> sources(Path folder, String suffix) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(file -> file.toString().endsWith(suffix)).toList();
    }
  }

  private static List<String> imports(Path file, Pattern pattern) throws IOException {
    Matcher matcher = pattern.matcher(Files.readString(file));
    return matcher.results().map((MatchResult found) -> found.group(1)).toList();
  }

  /** The nodes that are on a cycle or import from one. */
  private static Set<String> cyclic(Map<String, Set<String>> imports) {
    Set<String> left = new HashSet<>(imports.keySet());
    while (left.removeIf(
        node -> imports.get(node).stream().noneMatch(other -> left.contains(other)))) {}
    return left;
  }

  @Test
  void javaPackagesHaveNoCycle() throws IOException {
    Map<String, Set<String>> imports = new HashMap<>();
    try (Stream<Path> modules = Files.list(ROOT)) {
      for (Path module : modules.toList()) {
        Path main = module.resolve("src/main/java");
        if (!Files.isDirectory(main)) {
          continue;
        }
        for (Path file : sources(main, ".java")) {
          String name = main.relativize(file.getParent()).toString().replace('/', '.');
          Set<String> of = imports.computeIfAbsent(name, _ -> new HashSet<>());
          of.addAll(imports(file, JAVA));
          of.remove(name);
        }
      }
    }
    assertThat(imports).hasSizeGreaterThan(100);
    assertThat(cyclic(imports)).isEmpty();
  }

  @Test
  void pythonModulesHaveNoCycle() throws IOException {
    for (String folder : List.of("datasets/collector/collector", "python/cotenant")) {
      Map<String, Set<String>> imports = new HashMap<>();
      for (Path file : sources(ROOT.resolve(folder), ".py")) {
        String name = file.getFileName().toString().replace(".py", "");
        Set<String> of = new HashSet<>();
        for (String imported : imports(file, PYTHON)) {
          of.add(imported.substring(imported.lastIndexOf('.') + 1));
        }
        imports.put(name, of);
      }
      assertThat(imports).as(folder).hasSizeGreaterThan(10);
      assertThat(cyclic(imports)).as(folder).isEmpty();
    }
  }
}
