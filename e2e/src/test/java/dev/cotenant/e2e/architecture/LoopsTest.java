package dev.cotenant.e2e.architecture;

import static dev.cotenant.e2e.architecture.Modules.CLASSES;
import static dev.cotenant.e2e.architecture.Modules.isIn;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaCodeUnitAccess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every loop of a process is supervised, and a test makes it fail. */
class LoopsTest {
  private static final String SERVICE_TESTS = "service/src/test/java/dev/cotenant/service/";
  private static final String KUBERNETES_FAULTS =
      "admission-kubernetes/src/test/java/dev/cotenant/admission/kubernetes/LoopFaultsTest.java";

  private static final Set<String> REPEATS =
      Set.of("scheduleAtFixedRate", "scheduleWithFixedDelay");
  private static final String NETTY = "io.netty.";

  private static final List<String> MODULES =
      List.of("admission", "admission-kubernetes", "service");
  private static final Pattern PLAN =
      Pattern.compile("LoopPlan\\.(?:restarted|vital)\\(\\s*\"([^\"]+)\"");

  /** Where a thread may come from besides the supervisor, and why that is no loop. */
  private static final Map<String, String> OTHER_THREADS =
      Map.ofEntries(
          Map.entry("dev.cotenant.admission.supervision.Loop", "the supervisor's own"),
          Map.entry(
              "dev.cotenant.admission.supervision.Supervisor",
              "the watchdog: liveness looks at it"),
          Map.entry(
              "dev.cotenant.admission.kubernetes.watch.ListWatch",
              "ends one silent watch; where it fails, the loop that waits is found silent"),
          Map.entry(
              "dev.cotenant.admission.kubernetes.api.RequestQueue",
              "sends one request again, later"),
          Map.entry("dev.cotenant.admission.kubernetes.Ungate", "of a command, which waits for it"),
          Map.entry(
              "dev.cotenant.service.replay.ClusterReplays",
              "of one replay, whose end is its result"),
          Map.entry("dev.cotenant.service.webhook.WebhookServer", "one thread for each request"),
          Map.entry("dev.cotenant.forecast.prometheus.PrometheusApi", "one thread for each query"),
          Map.entry("dev.cotenant.llm.source.UrlReader", "of one model, whose loop waits for them"),
          Map.entry(
              "dev.cotenant.plugin.OnnxSession",
              "ends one evaluation that takes too long; its pool replaces a thread that ends"));

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
              "dev.cotenant.service.overload.LoadShedding",
              SERVICE_TESTS + "overload/OverloadTransportTest.java"),
          Map.entry(
              "dev.cotenant.service.gate.PeriodicTasks",
              SERVICE_TESTS + "gate/PeriodicTasksTest.java"),
          Map.entry("dev.cotenant.service.ModelReading", SERVICE_TESTS + "ModelReadingTest.java"),
          Map.entry(
              "dev.cotenant.service.cluster.MetricsPoller",
              SERVICE_TESTS + "cluster/MetricsPollerFaultsTest.java"),
          Map.entry(
              "dev.cotenant.service.cluster.SpeedWatch",
              SERVICE_TESTS + "cluster/SpeedWatchFaultsTest.java"),
          Map.entry(
              "dev.cotenant.service.serving.EngineFeedback",
              SERVICE_TESTS + "serving/EngineFeedbackTest.java"),
          Map.entry(
              "dev.cotenant.service.fleet.FleetPoller",
              SERVICE_TESTS + "fleet/FleetPollerTest.java"),
          Map.entry(
              "dev.cotenant.service.lifecycle.LifeCyclePoller",
              SERVICE_TESTS + "lifecycle/LifeCycleFaultsTest.java"),
          Map.entry(
              "dev.cotenant.service.webhook.CertificateWatch",
              SERVICE_TESTS + "webhook/CertificateWatchTest.java"),
          Map.entry(
              "dev.cotenant.service.gate.GrantCheck", SERVICE_TESTS + "gate/GrantCheckTest.java"),
          Map.entry(
              "dev.cotenant.service.devices.DeviceWatch",
              SERVICE_TESTS + "devices/DeviceWatchTest.java"));

  @Test
  void onlyTheSupervisorStartsThreadsThatLast() {
    assertThat(callersOf(LoopsTest::startsThreads)).isEqualTo(OTHER_THREADS.keySet());
  }

  @Test
  void everyLoopFailsInATest() throws IOException {
    assertThat(callersOf(LoopsTest::startsALoop)).isEqualTo(LOOPS.keySet());
    List<String> tested = new ArrayList<>();
    for (Map.Entry<String, String> loops : LOOPS.entrySet()) {
      String test = Files.readString(Modules.root().resolve(loops.getValue()));
      for (String started : namesIn(source(loops.getKey()))) {
        assertThat(listed().stream().filter(name -> isNamed(started, name)))
            .as("loops of %s that %s makes fail", loops.getKey(), loops.getValue())
            .isNotEmpty()
            .allMatch(name -> test.contains("Fault.Kind") && isInTest(test, started, name));
        tested.add(started);
      }
    }
    assertThat(tested).containsExactlyInAnyOrderElementsOf(started());
  }

  /** As one literal, or as that of the start of several and that of the rest. */
  private static boolean isInTest(String test, String started, String name) {
    return test.contains('"' + name + '"')
        || (test.contains('"' + started + '"')
            && test.contains('"' + name.substring(started.length()) + '"'));
  }

  @Test
  void theDecisionRecordListsEveryLoop() throws IOException {
    List<String> started = started();
    List<String> listed = listed();
    assertThat(listed).doesNotHaveDuplicates().hasSizeGreaterThan(started.size());
    assertThat(listed).allSatisfy(name -> assertThat(started).anyMatch(one -> isNamed(one, name)));
    assertThat(started).allSatisfy(one -> assertThat(listed).anyMatch(name -> isNamed(one, name)));
  }

  /** Names of loops as the decision record has them. */
  private static List<String> listed() throws IOException {
    return Files.readAllLines(Modules.root().resolve("docs/adr/0030-supervised-loops.md")).stream()
        .filter(line -> line.startsWith("| `"))
        .flatMap(line -> Pattern.compile("`([^`]+)`").matcher(line.split("\\|", -1)[1]).results())
        .map(name -> name.group(1))
        .toList();
  }

  /** Names of loops as the sources have them; one that ends in a hyphen is the start of several. */
  private static List<String> started() throws IOException {
    List<String> names = new ArrayList<>();
    for (String module : MODULES) {
      Path sources = Modules.root().resolve(module).resolve("src/main/java");
      try (Stream<Path> files = Files.walk(sources)) {
        for (Path file : files.filter(one -> one.toString().endsWith(".java")).toList()) {
          names.addAll(namesIn(file));
        }
      }
    }
    return names;
  }

  private static List<String> namesIn(Path source) throws IOException {
    return PLAN.matcher(Files.readString(source)).results().map(one -> one.group(1)).toList();
  }

  private static Path source(String type) {
    return MODULES.stream()
        .map(module ->
            Modules.root()
                .resolve(module)
                .resolve("src/main/java")
                .resolve(type.replace('.', '/') + ".java"))
        .filter(Files::exists)
        .findFirst()
        .orElseThrow();
  }

  private static boolean isNamed(String started, String listed) {
    return started.endsWith("-") ? listed.startsWith(started) : listed.equals(started);
  }

  /** Of everything but what commands alone use, which wait for what they start. */
  private static Set<String> callersOf(Predicate<JavaCodeUnitAccess<?>> call) {
    return CLASSES.stream()
        .filter(type ->
            Stream.of("cli", "evaluation").noneMatch(one -> isIn(one, type.getPackageName())))
        .filter(type -> type.getCodeUnitAccessesFromSelf().stream().anyMatch(call))
        .map(Modules::outermost)
        .collect(Collectors.toSet());
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
      case "io.vertx.core.Vertx" -> Set.of("setPeriodic", "setTimer", "timer").contains(name);
      default -> REPEATS.contains(name) || (owner.startsWith(NETTY) && name.equals("schedule"));
    };
  }
}
