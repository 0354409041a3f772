package dev.cotenant.e2e.architecture;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The modules with their arrows, and what they were compiled to. */
final class Modules {
  static final String ROOT = "dev.cotenant.";

  /** What each module's package may depend on; a module may reach through to what those may. */
  private static final Map<String, Set<String>> ARROWS =
      Map.ofEntries(
          Map.entry("domain", Set.of()),
          Map.entry("learning", Set.of()),
          Map.entry("llm", Set.of("domain", "learning")),
          Map.entry("features", Set.of("domain")),
          Map.entry("predictor", Set.of("domain", "learning")),
          Map.entry("plugin", Set.of("domain", "predictor")),
          Map.entry("forecast", Set.of("domain", "learning")),
          Map.entry("interference", Set.of("domain", "learning")),
          Map.entry("placement", Set.of("domain", "interference")),
          Map.entry("serving", Set.of("domain", "learning", "interference", "placement")),
          Map.entry(
              "engine",
              Set.of(
                  "domain",
                  "llm",
                  "features",
                  "predictor",
                  "forecast",
                  "interference",
                  "placement",
                  "serving")),
          Map.entry("admission", Set.of("domain", "llm", "interference", "placement")),
          Map.entry("zoo", Set.of("domain")),
          Map.entry("datasets", Set.of("domain", "llm", "features", "zoo")),
          Map.entry(
              "simulator",
              Set.of("domain", "learning", "forecast", "interference", "placement", "admission")),
          Map.entry(
              "lab",
              Set.of(
                  "domain",
                  "learning",
                  "llm",
                  "features",
                  "predictor",
                  "forecast",
                  "interference",
                  "placement",
                  "serving",
                  "engine",
                  "admission",
                  "zoo",
                  "datasets",
                  "simulator")),
          Map.entry(
              "evaluation",
              Set.of("domain", "learning", "llm", "predictor", "forecast", "interference")),
          Map.entry(
              "service",
              Set.of(
                  "domain",
                  "llm",
                  "features",
                  "predictor",
                  "forecast",
                  "interference",
                  "placement",
                  "serving",
                  "engine",
                  "admission",
                  "simulator")),
          Map.entry(
              "cli",
              Set.of(
                  "domain",
                  "llm",
                  "features",
                  "predictor",
                  "forecast",
                  "interference",
                  "placement",
                  "serving",
                  "engine",
                  "admission",
                  "zoo",
                  "datasets",
                  "simulator",
                  "lab",
                  "evaluation")));

  private static final Map<String, String> FOLDERS =
      Map.of(
          "features", "feature-extractor",
          "llm", "language-models",
          "forecast", "memory-forecast",
          "plugin", "predictor-plugin");

  /** Of every module; this one is built after all of them. */
  static final JavaClasses CLASSES = compiled();

  private Modules() {}

  static Path root() {
    return Path.of(System.getProperty("cotenant.root"));
  }

  /** The first parts of the modules' packages, sorted. */
  static List<String> names() {
    return ARROWS.keySet().stream().sorted().toList();
  }

  private static JavaClasses compiled() {
    List<Path> folders = new ArrayList<>();
    for (String module : names()) {
      Path folder = root().resolve(FOLDERS.getOrDefault(module, module)).resolve("target/classes");
      if (Files.isDirectory(folder)) {
        folders.add(folder);
      }
    }
    folders.add(root().resolve("admission-kubernetes/target/classes"));
    return new ClassFileImporter().importPaths(folders);
  }

  static Set<String> arrows(String module) {
    return ARROWS.getOrDefault(module, Set.of());
  }

  static boolean isIn(String module, String packageName) {
    return packageName.equals(ROOT + module) || packageName.startsWith(ROOT + module + ".");
  }

  static String outermost(JavaClass type) {
    return type.getName().replaceFirst("\\$.*", "");
  }
}
