package dev.cotenant.cli.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnitAccess;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The arrows of docs/architecture.md, checked on what all modules were compiled to. */
class ArchitectureTest {
  private static final String ROOT = "dev.cotenant.";

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
          Map.entry(
              "engine",
              Set.of(
                  "domain",
                  "llm",
                  "features",
                  "predictor",
                  "forecast",
                  "interference",
                  "placement")),
          Map.entry("admission", Set.of("domain", "llm", "interference", "placement")),
          Map.entry("zoo", Set.of("domain")),
          Map.entry("datasets", Set.of("domain", "llm", "features", "zoo")),
          Map.entry(
              "simulator",
              Set.of(
                  "domain",
                  "learning",
                  "llm",
                  "features",
                  "predictor",
                  "forecast",
                  "interference",
                  "placement",
                  "engine",
                  "datasets")),
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
                  "engine",
                  "admission",
                  "zoo",
                  "datasets",
                  "simulator",
                  "evaluation")));

  private static final Map<String, String> FOLDERS =
      Map.of(
          "features", "feature-extractor",
          "llm", "language-models",
          "forecast", "memory-forecast",
          "plugin", "predictor-plugin");

  private static final String SERVICE_TESTS = "service/src/test/java/dev/cotenant/service/";
  private static final String KUBERNETES_FAULTS =
      "admission-kubernetes/src/test/java/dev/cotenant/admission/kubernetes/LoopFaultsTest.java";

  private static final List<String> ALGORITHMS =
      List.of(
          "domain",
          "learning",
          "llm",
          "features",
          "predictor",
          "forecast",
          "interference",
          "placement");

  private static JavaClasses all = new ClassFileImporter().importPaths(List.of());

  static List<String> modules() {
    return ARROWS.keySet().stream().sorted().toList();
  }

  @BeforeAll
  static void importEveryModule() {
    Path root = Path.of(System.getProperty("cotenant.root"));
    List<Path> folders = new ArrayList<>();
    for (String module : modules()) {
      Path folder = root.resolve(FOLDERS.getOrDefault(module, module)).resolve("target/classes");
      if (Files.isDirectory(folder)) {
        folders.add(folder);
      }
    }
    folders.add(root.resolve("admission-kubernetes/target/classes"));
    all = new ClassFileImporter().importPaths(folders);
  }

  @ParameterizedTest
  @MethodSource("modules")
  void everyModuleWasCompiled(String module) {
    assertThat(all.stream().map(JavaClass::getPackageName))
        .as("build all modules, this test looks at every one's target/classes")
        .anyMatch(name -> isIn(module, name));
  }

  @ParameterizedTest
  @MethodSource("modules")
  void dependsOnlyOnWhatItMay(String module) {
    String[] forbidden =
        modules().stream()
            .filter(other -> !other.equals(module) && !arrows(module).contains(other))
            .map(other -> ROOT + other + "..")
            .toArray(String[]::new);

    noClasses()
        .that()
        .resideInAPackage(ROOT + module + "..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(forbidden)
        .allowEmptyShould(true)
        .check(all);
  }

  @ParameterizedTest
  @MethodSource("modules")
  void packagesOfAModuleHaveNoCycles(String module) {
    slices().assignedFrom(new PackagesOf(module)).should().beFreeOfCycles().check(all);
  }

  /** The gate's packages from the top; each may import those after it. */
  private static final List<String> GATE =
      List.of(
          "dev.cotenant.admission.gate",
          "dev.cotenant.admission.gate.cycle",
          "dev.cotenant.admission.gate.intake",
          "dev.cotenant.admission.gate.write",
          "dev.cotenant.admission.gate.persistence",
          "dev.cotenant.admission.gate.state",
          "dev.cotenant.admission.gate.port");

  private static final int MOST_TYPES = 25;

  @ParameterizedTest
  @MethodSource("gatePackages")
  void packagesOfTheGateImportOneWay(int index) {
    noClasses()
        .that()
        .resideInAPackage(GATE.get(index))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(GATE.subList(0, index).toArray(String[]::new))
        .allowEmptyShould(index == 0)
        .check(all);
  }

  static IntStream gatePackages() {
    return IntStream.range(0, GATE.size());
  }

  @Test
  void theGateHasNoOtherPackagesAndNoneIsLarge() {
    Map<String, Long> types =
        all.stream()
            .filter(type -> type.getPackageName().startsWith(GATE.getFirst()))
            .filter(type -> type.isTopLevelClass() && !type.getSimpleName().equals("package-info"))
            .collect(Collectors.groupingBy(JavaClass::getPackageName, Collectors.counting()));

    assertThat(types.keySet()).containsExactlyInAnyOrderElementsOf(GATE);
    assertThat(types.values()).allSatisfy(count -> assertThat(count).isLessThan(MOST_TYPES));
  }

  @Test
  void othersEnterTheGateAtItsRoot() {
    noClasses()
        .that()
        .resideOutsideOfPackage(GATE.getFirst() + "..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(GATE.subList(1, GATE.size() - 1).toArray(String[]::new))
        .check(all);
  }

  @Test
  void theStateOfTheGateChangesThroughMethodsAlone() {
    fields()
        .that()
        .areDeclaredInClassesThat()
        .resideInAPackage("dev.cotenant.admission.gate.state")
        .and()
        .areNotStatic()
        .should()
        .bePrivate()
        .check(all);
  }

  @Test
  void algorithmsKnowNoFramework() {
    String[] algorithms =
        ALGORITHMS.stream().map(module -> ROOT + module + "..").toArray(String[]::new);

    noClasses()
        .that()
        .resideInAnyPackage(algorithms)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "io.quarkus..",
            "io.smallrye..",
            "io.vertx..",
            "io.micrometer..",
            "jakarta..",
            "org.eclipse.microprofile..",
            "com.fasterxml.jackson.databind..",
            "com.fasterxml.jackson.annotation..",
            "io.fabric8..",
            "picocli..")
        .check(all);
  }

  @Test
  void onlyLearnersKnowSmile() {
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.cotenant.evaluation.learner..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("smile..")
        .check(all);
  }

  @Test
  void onlyTheModulesForThemKnowNativeLibraries() {
    noClasses()
        .that()
        .resideOutsideOfPackages(
            "dev.cotenant.evaluation.compare..", "dev.cotenant.evaluation.learner..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.tribuo..", "ml.dmlc..", "io.github.metarank..", "com.microsoft..")
        .check(all);
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.cotenant.plugin..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("ai.onnxruntime..")
        .check(all);
  }

  /** The service's build refuses the libraries by name; here its modules and those it reaches. */
  @Test
  void theServiceReachesNoCodeOfSmileTribuoOrOnnxRuntime() {
    String[] reached =
        Stream.concat(Stream.of("service"), arrows("service").stream())
            .map(module -> ROOT + module + "..")
            .toArray(String[]::new);

    assertThat(arrows("service")).doesNotContain("evaluation", "plugin");
    noClasses()
        .that()
        .resideInAnyPackage(reached)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "smile..", "org.tribuo..", "ai.onnxruntime..", ROOT + "evaluation..", ROOT + "plugin..")
        .check(all);
  }

  /** admission-kubernetes is a module of its own, in a package of admission's. */
  @Test
  void onlyTheModuleForItKnowsKubernetes() {
    String module = "dev.cotenant.admission.kubernetes..";

    assertThat(all.stream().map(JavaClass::getPackageName))
        .anyMatch("dev.cotenant.admission.kubernetes"::equals);
    noClasses()
        .that()
        .resideOutsideOfPackage(module)
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.fabric8..")
        .check(all);
    noClasses()
        .that()
        .resideInAPackage("dev.cotenant.admission..")
        .and()
        .resideOutsideOfPackage(module)
        .should()
        .dependOnClassesThat()
        .resideInAPackage(module)
        .check(all);
  }

  @Test
  void onlyTheServiceKnowsQuarkus() {
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.cotenant.service..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.quarkus..", "io.vertx..", "jakarta..")
        .check(all);
  }

  @Test
  void everyClassBelongsToAModule() {
    classes()
        .should()
        .resideInAnyPackage(
            modules().stream().map(module -> ROOT + module + "..").toArray(String[]::new))
        .check(all.that(DescribedPredicate.describe("are ours", ArchitectureTest::isOurs)));
  }

  private static boolean isOurs(JavaClass type) {
    return type.getPackageName().startsWith(ROOT);
  }

  private static Set<String> arrows(String module) {
    return ARROWS.getOrDefault(module, Set.of());
  }

  private static boolean isIn(String module, String packageName) {
    return packageName.equals(ROOT + module) || packageName.startsWith(ROOT + module + ".");
  }

  /** Every package of a module is a slice of its own, the module's root package included. */
  private record PackagesOf(String module) implements SliceAssignment {
    @Override
    public SliceIdentifier getIdentifierOf(JavaClass type) {
      String name = type.getPackageName();
      return isIn(module, name) ? SliceIdentifier.of(name) : SliceIdentifier.ignore();
    }

    @Override
    public String getDescription() {
      return "packages of " + module;
    }
  }

  /** Where a thread may come from besides the supervisor, and why that is no loop. */
  private static final Map<String, String> OTHER_THREADS =
      Map.of(
          "dev.cotenant.admission.supervision.Loop", "the supervisor's own",
          "dev.cotenant.admission.supervision.Supervisor", "the watchdog: liveness looks at it",
          "dev.cotenant.admission.kubernetes.watch.ListWatch",
              "ends one silent watch; where it fails, the loop that waits is found silent",
          "dev.cotenant.admission.kubernetes.api.RequestQueue", "sends one request again, later",
          "dev.cotenant.admission.kubernetes.Ungate", "of a command, which waits for it",
          "dev.cotenant.service.replay.ClusterReplays", "of one replay, whose end is its result",
          "dev.cotenant.service.webhook.WebhookServer", "one thread for each request");

  /** Every class that starts a loop, and the test in which each of its loops fails in every way. */
  private static final Map<String, String> LOOPS =
      Map.ofEntries(
          Map.entry(
              "dev.cotenant.admission.gate.GateLoop",
              "admission/src/test/java/dev/cotenant/admission/gate/GateLoopTest.java"),
          Map.entry("dev.cotenant.admission.kubernetes.watch.ListWatch", KUBERNETES_FAULTS),
          Map.entry("dev.cotenant.admission.kubernetes.watch.TermWatch", KUBERNETES_FAULTS),
          Map.entry("dev.cotenant.admission.kubernetes.leader.Leadership", KUBERNETES_FAULTS),
          Map.entry("dev.cotenant.admission.kubernetes.leader.LeaderLabel", KUBERNETES_FAULTS),
          Map.entry("dev.cotenant.admission.kubernetes.state.LeaderStateLoop", KUBERNETES_FAULTS),
          Map.entry(
              "dev.cotenant.service.gate.PeriodicTasks",
              SERVICE_TESTS + "gate/PeriodicTasksTest.java"),
          Map.entry(
              "dev.cotenant.service.cluster.MetricsPoller",
              SERVICE_TESTS + "cluster/MetricsPollerFaultsTest.java"),
          Map.entry(
              "dev.cotenant.service.lifecycle.LifeCyclePoller",
              SERVICE_TESTS + "lifecycle/LifeCycleFaultsTest.java"),
          Map.entry(
              "dev.cotenant.service.webhook.CertificateWatch",
              SERVICE_TESTS + "webhook/CertificateWatchTest.java"),
          Map.entry(
              "dev.cotenant.service.devices.DeviceWatch",
              SERVICE_TESTS + "devices/DeviceWatchTest.java"));

  @Test
  void onlyTheSupervisorStartsThreadsThatLast() {
    assertThat(callersOf(ArchitectureTest::startsThreads)).isEqualTo(OTHER_THREADS.keySet());
  }

  @Test
  void everyLoopFailsInATest() {
    assertThat(callersOf(ArchitectureTest::startsALoop)).isEqualTo(LOOPS.keySet());
    assertThat(LOOPS.values())
        .allSatisfy(test ->
            assertThat(Path.of(System.getProperty("cotenant.root")).resolve(test))
                .content()
                .contains("Fault.Kind"));
  }

  private static Set<String> callersOf(Predicate<JavaCodeUnitAccess<?>> call) {
    return all.stream()
        .filter(type ->
            isIn("admission", type.getPackageName()) || isIn("service", type.getPackageName()))
        .filter(type -> type.getCodeUnitAccessesFromSelf().stream().anyMatch(call))
        .map(ArchitectureTest::outermost)
        .collect(Collectors.toSet());
  }

  private static String outermost(JavaClass type) {
    return type.getName().replaceFirst("\\$.*", "");
  }

  private static boolean startsALoop(JavaCodeUnitAccess<?> call) {
    return call.getTargetOwner().getName().equals("dev.cotenant.admission.supervision.Supervisor")
        && call.getName().equals("start");
  }

  private static boolean startsThreads(JavaCodeUnitAccess<?> call) {
    String owner = call.getTargetOwner().getName();
    String name = call.getName();
    return switch (owner) {
      case "java.lang.Thread" ->
          Set.of("<init>", "ofPlatform", "ofVirtual", "startVirtualThread").contains(name);
      case "java.util.concurrent.Executors" -> name.startsWith("new");
      case "java.util.concurrent.ThreadPoolExecutor",
          "java.util.concurrent.ScheduledThreadPoolExecutor",
          "java.util.concurrent.ForkJoinPool",
          "java.util.Timer" ->
          name.equals("<init>");
      case "java.util.concurrent.CompletableFuture" -> name.equals("delayedExecutor");
      case "io.vertx.core.Vertx" -> name.equals("setPeriodic");
      default -> false;
    };
  }
}
