package dev.cotenant.e2e.architecture;

import static dev.cotenant.e2e.architecture.Modules.CLASSES;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.decision.SharingLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * In how many places a developer adds what CONTRIBUTING.md counts: of each kind there is an example
 * that stands in that many files of main code and no more.
 */
class PlacesTest {
  private static final Pattern COUNTED =
      Pattern.compile("(?m)^\\*\\*An? (.+)\\*\\* \\((\\d) place");
  private static final Pattern COMMENT = Pattern.compile("(?s)/\\*.*?\\*/|//[^\\n]*");

  /** Text of main code by path, without comments; what tests write is left out. */
  private static final Map<Path, String> SOURCES = sources();

  private static Map<Path, String> sources() {
    Map<Path, String> texts = new TreeMap<>();
    try (Stream<Path> files = Files.walk(Modules.root())) {
      for (Path file : files.filter(PlacesTest::isMainCode).toList()) {
        texts.put(file, COMMENT.matcher(Files.readString(file)).replaceAll(""));
      }
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
    return texts;
  }

  private static boolean isMainCode(Path file) {
    String path = Modules.root().relativize(file).toString();
    boolean isCode = path.contains("/src/main/java/") && path.endsWith(".java");
    boolean isTable = path.contains("/src/main/resources/") && path.endsWith(".csv");
    boolean isChart = path.startsWith("deploy/helm/") && path.endsWith("yaml");
    return (isCode || isTable || isChart) && Files.isRegularFile(file);
  }

  /** Files with a match of a pattern, each of which has the text. */
  private static int filesWith(String text, String pattern) {
    Pattern compiled = Pattern.compile(pattern);
    return filesWith(source -> source.contains(text) && compiled.matcher(source).find());
  }

  private static int filesWith(Predicate<String> text) {
    return (int) SOURCES.values().stream().filter(text).count();
  }

  private static List<String> captured(String file, String pattern) {
    return Pattern.compile(pattern)
        .matcher(read(file))
        .results()
        .map(match -> match.group(1))
        .distinct()
        .toList();
  }

  private static String read(String file) {
    try {
      return Files.readString(Modules.root().resolve(file));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  /** The places of every device: files with its id. */
  private static IntStream devices() {
    String catalogue = "domain/src/main/resources/dev/cotenant/domain/device/catalogue.csv";
    return captured(catalogue, "(?m)^([a-z0-9-]+),").stream()
        .filter(id -> !id.equals("id"))
        .mapToInt(id -> filesWith(id, "(?<![\\w-])" + id + "(?![\\w-])"));
  }

  private static IntStream operators() {
    return captured("docs/operators.md", "(?m)^\\| ([A-Z]\\w+) \\|").stream()
        .mapToInt(name -> filesWith(source -> source.contains('"' + name + '"')));
  }

  /** Besides their classes: data files and registers that name them. */
  private static IntStream importers() {
    String registry = "datasets/src/main/java/dev/cotenant/datasets/Importers.java";
    return Pattern.compile("\"([a-z-]+)\",\\s+(\\w+Source)::new")
        .matcher(read(registry))
        .results()
        .mapToInt(PlacesTest::filesOfAnImporter);
  }

  private static int filesOfAnImporter(MatchResult entry) {
    Pattern type = Pattern.compile("\\b" + entry.group(2) + "\\b");
    return filesWith(source ->
        (source.contains(entry.group(2)) && type.matcher(source).find())
            || source.startsWith(entry.group(1) + ",")
            || source.contains("\n" + entry.group(1) + ","));
  }

  private static IntStream dialects() {
    String enumeration = "admission/src/main/java/dev/cotenant/admission/pod/GpuDialect.java";
    return captured(enumeration, "(?m)^  ([A-Z]+)\\(").stream()
        .map(dialect -> Pattern.compile("\\b" + dialect + "\\b", Pattern.CASE_INSENSITIVE))
        .mapToInt(dialect -> filesWith(source -> dialect.matcher(source).find()));
  }

  private static IntStream metrics() {
    return SOURCES.values().stream()
        .filter(source -> source.contains("import io.micrometer."))
        .flatMap(
            source -> Pattern.compile("\"(cotenant\\.[a-z_.]*[a-z])\"").matcher(source).results())
        .map(match -> match.group())
        .distinct()
        .mapToInt(name -> filesWith(source -> source.contains(name)));
  }

  /** A class itself, and those that name it. */
  private static int classesOf(JavaClass type) {
    return 1
        + (int)
            type.getDirectDependenciesToSelf().stream()
                .map(dependency -> Modules.outermost(dependency.getOriginClass()))
                .filter(name -> !name.equals(type.getName()))
                .distinct()
                .count();
  }

  private static IntStream implementations(String... ports) {
    return CLASSES.stream()
        .filter(type -> Stream.of(ports).anyMatch(port -> type.isAssignableTo(port)))
        .filter(type -> type.isTopLevelClass() && !type.isInterface())
        .filter(type -> !type.getModifiers().contains(JavaModifier.ABSTRACT))
        .mapToInt(PlacesTest::classesOf);
  }

  private static IntStream commands() {
    return CLASSES.stream()
        .filter(
            type -> type.isTopLevelClass() && type.isAnnotatedWith("picocli.CommandLine$Command"))
        .mapToInt(PlacesTest::classesOf);
  }

  static Stream<Arguments> kinds() {
    return Stream.of(
        Arguments.of("device", devices()),
        Arguments.of("ONNX operator", operators()),
        Arguments.of("importer", importers()),
        Arguments.of("dialect of GPU requests", dialects()),
        Arguments.of(
            "interference model", implementations("dev.cotenant.interference.InterferenceModel")),
        Arguments.of(
            "planner",
            implementations(
                "dev.cotenant.placement.fleet.ServicePlanner",
                "dev.cotenant.placement.fleet.JobPacker")),
        Arguments.of("command", commands()));
  }

  private static int counted(String kind) {
    return COUNTED
        .matcher(read("CONTRIBUTING.md"))
        .results()
        .filter(match -> match.group(1).equals(kind))
        .mapToInt(match -> Integer.parseInt(match.group(2)))
        .findFirst()
        .orElseThrow(() -> new AssertionError("CONTRIBUTING.md does not count: " + kind));
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void anExampleOfTheKindIsInNoMorePlacesThanAreCounted(String kind, IntStream places) {
    assertThat(places.min().orElseThrow()).isLessThanOrEqualTo(counted(kind));
  }

  static Stream<Class<?>> reasonsOfSharing() {
    return Stream.of(Reason.OfSharing.class.getPermittedSubclasses());
  }

  private static Set<String> classesThatName(Class<?> type) {
    return CLASSES.get(type).getDirectDependenciesToSelf().stream()
        .map(dependency -> dependency.getOriginClass())
        .map(Modules::outermost)
        .collect(Collectors.toSet());
  }

  /** With its page: the record with its severity, the check, and what callers may not see of it. */
  @ParameterizedTest
  @MethodSource("reasonsOfSharing")
  void aReasonOfSharingIsInThreeClasses(Class<?> reason) {
    assertThat(classesThatName(reason)).hasSize(counted("refusal reason") - 1);
  }

  /** The limits themselves, and their configuration. */
  @Test
  void aLimitIsInTwoClasses() {
    JavaClass limits = CLASSES.get(SharingLimits.class);

    assertThat(
            limits.getConstructorCallsToSelf().stream()
                .map(call -> Modules.outermost(call.getOriginOwner()))
                .distinct())
        .hasSize(counted("default limit"))
        .containsExactlyInAnyOrder(
            limits.getName(), "dev.cotenant.service.configuration.LimitsConfiguration");
  }

  /** A number is registered where it is known; a class without a registry takes one more. */
  @Test
  void noMetricIsInMorePlacesThanAreCounted() {
    assertThat(metrics().max().orElseThrow()).isLessThanOrEqualTo(counted("metric"));
  }
}
