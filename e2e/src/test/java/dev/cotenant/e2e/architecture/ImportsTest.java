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
  private static final Pattern COMMA = Pattern.compile(",");

  private static final Pattern PYTHON =
      Pattern.compile("(?m)^ *from (\\.+)([a-z0-9_.]*) import (?:\\(([^)]*)\\)|(.*))");

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

  /** A module's name below the package: that of a folder for its {@code __init__}. */
  private static String module(Path file) {
    String path = file.toString().replaceAll("\\.py$", "");
    return path.replaceAll("(^|/)__init__$", "");
  }

  /** Modules that relative imports name: {@code from ..rules import layers}. */
  private static Set<String> relativeImports(Path file, String text, Set<String> modules) {
    Set<String> found = new HashSet<>();
    PYTHON
        .matcher(text)
        .results()
        .forEach(match -> {
          Path folder = Path.of("/").resolve(file).getParent();
          for (int up = 1; up < match.group(1).length(); up++) {
            folder = folder.getParent();
          }
          Path from = folder.resolve(match.group(2).replace('.', '/'));
          String names = match.group(3) == null ? match.group(4) : match.group(3);
          for (String name : COMMA.splitAsStream(names).toList()) {
            String imported = name.strip().replaceAll(" .*", "");
            String submodule = from.resolve(imported).toString().substring(1);
            String module = from.toString().substring(1);
            found.add(!imported.isEmpty() && modules.contains(submodule) ? submodule : module);
          }
        });
    found.remove(module(file));
    return found;
  }

  private static Map<String, Set<String>> python(Map<Path, String> files) {
    Set<String> modules = new HashSet<>();
    files.keySet().forEach(file -> modules.add(module(file)));
    Map<String, Set<String>> imports = new HashMap<>();
    files.forEach((file, text) -> imports.put(module(file), relativeImports(file, text, modules)));
    return imports;
  }

  @Test
  void pythonModulesHaveNoCycle() throws IOException {
    for (String folder : List.of("datasets/collector/collector", "python/cotenant")) {
      Path root = ROOT.resolve(folder);
      Map<Path, String> files = new HashMap<>();
      for (Path file : sources(root, ".py")) {
        files.put(root.relativize(file), Files.readString(file));
      }
      assertThat(files).as(folder).hasSizeGreaterThan(10);
      assertThat(cyclic(python(files))).as(folder).isEmpty();
    }
  }

  @Test
  void seesCyclesOfPackagesAndSubmodules() {
    Map<Path, String> files =
        Map.of(
            Path.of("__init__.py"), "from .api import predict",
            Path.of("api.py"), "from . import tracing, errors",
            Path.of("tracing.py"), "from .rules import (\n    layers,\n    matrices as more,\n)",
            Path.of("rules/__init__.py"), "",
            Path.of("rules/layers.py"), "if TYPE_CHECKING:\n    from ..api import Client",
            Path.of("rules/matrices.py"), "import math",
            Path.of("errors.py"), "");
    assertThat(cyclic(python(files)))
        .containsExactlyInAnyOrder("", "api", "tracing", "rules/layers");
  }
}
