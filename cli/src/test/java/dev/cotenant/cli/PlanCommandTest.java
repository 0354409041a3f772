package dev.cotenant.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PlanCommandTest {
  private static final Path EXAMPLES = Path.of(System.getProperty("cotenant.root"), "examples");
  private static final Path TWELVE = EXAMPLES.resolve("plans/twelve-workloads.yaml");

  @TempDir Path folder;

  private Path onV100(String... workloads) throws IOException {
    return file("devices: [{id: v100}]\nworkloads: [{" + String.join("}, {", workloads) + "}]\n");
  }

  private Path file(String text) throws IOException {
    return Files.writeString(folder.resolve("fleet.yaml"), text);
  }

  static List<Path> examples() throws IOException {
    try (Stream<Path> files = Files.list(EXAMPLES.resolve("plans"))) {
      return files.filter(file -> file.toString().endsWith(".yaml")).sorted().toList();
    }
  }

  @ParameterizedTest
  @MethodSource("examples")
  void plansEveryExample(Path plan) {
    CommandRun run = CommandRun.of("plan", plan);

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).startsWith("best: ").contains(" 0 predicted violations");
  }

  /** iGniter's Table 3 and the plan of its authors' code: 6 V100s at $18.36 an hour. */
  @Test
  void plansThePapersTwelveWorkloadsAsThePaper() {
    CommandRun run = CommandRun.of("plan", TWELVE, "--strategy", "igniter", "--json");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.json()).hasSize(1);
    JsonNode plan = run.json().getFirst();
    assertThat(CommandRun.keys(plan))
        .contains(
            "strategy",
            "gpus",
            "cost_per_hour",
            "violations",
            "lower_bound_gpus",
            "unplaced",
            "elapsed_ms");
    assertThat(plan.path("gpus")).hasSize(6);
    assertThat(plan.path("cost_per_hour").asDouble()).isEqualTo(18.36);
    assertThat(plan.path("violations").asInt()).isZero();
    assertThat(plan.path("unplaced")).isEmpty();
    JsonNode second = plan.path("gpus").path(1);
    assertThat(second.path("device").asText()).isEqualTo("v100");
    assertThat(second.path("index").asInt()).isEqualTo(1);
    assertThat(second.path("workloads").path(0).path("name").asText()).isEqualTo("W8");
    assertThat(second.path("workloads").path(0).path("share_percent").asDouble()).isEqualTo(75);
    assertThat(second.path("workloads").path(0).path("batch_size").asInt()).isEqualTo(6);
  }

  @Test
  void comparesEveryStrategyInOneTableThoseWithWorkloadsLeftLast() {
    CommandRun run = CommandRun.of("plan", TWELVE, "--strategy", "all");

    assertThat(run.exitCode()).as(run.err()).isZero();
    List<String> lines = run.out().lines().toList();
    assertThat(lines.getFirst()).startsWith("strategy ").contains("missed", "unplaced", "an hour");
    List<String> rows = lines.stream().skip(1).takeWhile(line -> !line.isEmpty()).toList();
    assertThat(rows).hasSizeGreaterThan(8);
    assertThat(rows.getFirst()).containsPattern("^\\S+ +0 +0 +6 +18\\.36$");
    assertThat(rows.getLast()).containsPattern("^ideal +0 +12 +0 +0\\.00$");
    assertThat(run.out())
        .contains("\nideal: unplaced: W1, ")
        .contains("The strategy 'ideal' tries every plan of at most");
  }

  @Test
  void plansByEveryStrategy() {
    CommandRun run = CommandRun.of("plan", TWELVE, "--strategy", "all", "--json");

    assertThat(run.exitCode()).as(run.err()).isZero();
    List<String> names = run.json().stream().map(plan -> plan.path("strategy").asText()).toList();
    assertThat(names).startsWith("best").contains("igniter", "ffd+", "gpulets", "inss-bda");
    JsonNode best = run.json().getFirst();
    for (JsonNode plan : run.json()) {
      double cost = plan.path("cost_per_hour").asDouble();
      boolean cleaner = plan.path("violations").asInt() + plan.path("unplaced").size() > 0;
      assertThat(cleaner || cost >= best.path("cost_per_hour").asDouble())
          .as(plan.toString())
          .isTrue();
    }
  }

  @Test
  void packsJobsBesideServices() throws IOException {
    Path plan =
        file(
            """
            devices:
              - {id: v100, price_per_hour: 3.06, max_count: 4}
            workloads:
              - {name: search, profile: resnet50, slo_latency_ms: 40, request_rate_per_second: 200}
              - {name: tags, model: %1$s/mobilenet_v2.onnx, slo_latency_ms: 60, request_rate_per_second: 50}
            jobs:
              - {name: nightly, model: %1$s/resnet18.onnx, batch_size: 16, memory_gib: 6}
            """
                .formatted(EXAMPLES.resolve("models")));

    CommandRun run = CommandRun.of("plan", plan);

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out())
        .contains("search")
        .contains("nightly")
        .contains(
            "note: tags was never profiled: its times are predicted from its graph, and at most"
                + " 1.35");
  }

  @Test
  void plansTheRestWhereAWorkloadCannotBeUnderstood() throws IOException {
    Path plan =
        onV100(
            "name: bad, profile: resnet50, slo_latency_ms: 40, request_rate_per_second: 0",
            "name: good, profile: resnet50, slo_latency_ms: 40, request_rate_per_second: 20");

    CommandRun run = CommandRun.of("plan", plan, "--json");

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.errorLines()).hasSize(1);
    assertThat(run.err()).contains("workload 'bad'").contains("must be above 0");
    JsonNode made = run.json().getFirst();
    assertThat(made.path("gpus").path(0).path("workloads").path(0).path("name").asText())
        .isEqualTo("good");
    assertThat(made.path("unplaced").path(0).path("name").asText()).isEqualTo("bad");
  }

  @Test
  void suggestsTheProfileAndTheStrategyThatWereMeant() throws IOException {
    Path plan =
        onV100("name: w, profile: resnet-50, slo_latency_ms: 40, request_rate_per_second: 20");

    assertThat(CommandRun.of("plan", plan).err())
        .contains("there is no profile 'resnet-50', perhaps 'resnet50'; those known are ");
    assertThat(CommandRun.of("plan", TWELVE, "--strategy", "ignitr").err())
        .contains("Unknown strategy 'ignitr', perhaps 'igniter': use one of ");
  }

  @Test
  void saysWithNumbersWhyNothingFits() throws IOException {
    Path plan =
        onV100("name: hasty, profile: ssd, slo_latency_ms: 0.3, request_rate_per_second: 1");

    CommandRun run = CommandRun.of("plan", plan);

    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).containsPattern("unplaced: hasty: v100: .*[0-9.]+ ms");
  }

  @Test
  void refusesWhatIsNoPlan() throws IOException {
    expect(1, "no such file", folder.resolve("nowhere.yaml"));
    expect(1, "is a directory", folder);
    expect(1, "is not valid YAML", file("devices: [{id: v100"));
    expect(1, "documents", file("---\ndevices: []\n---\ndevices: []\n"));
    expect(1, "documents", file(""));
    expect(1, "its aliases", file("a: &a [*a]"));
    expect(1, "there is no such key", file("divices: []"));
    expect(2, "abacus", file("devices: [{id: abacus}]\nworkloads: []"));
    expect(1, "name at least one device", file("devices: []"));
    expect(1, "there is nothing to plan", file("devices: [{id: v100}]"));
    expect(1, "must be one object", file("[1, 2]"));
  }

  private static void expect(int exitCode, String problem, Path plan) {
    CommandRun run = CommandRun.of("plan", plan);
    assertThat(run.exitCode()).as(run.err()).isEqualTo(exitCode);
    assertThat(run.errorLines()).as(run.err()).hasSize(1);
    assertThat(run.err()).contains(problem);
    assertThat(run.out()).isEmpty();
  }

  @Test
  void refusesAStrategyThatIsNone() {
    CommandRun run = CommandRun.of("plan", TWELVE, "--strategy", "magic");

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains("Unknown strategy 'magic'").contains("igniter");
  }

  @Test
  void takesProfilesOfTheUsersOwn() throws IOException {
    Path profiles =
        Files.writeString(
            folder.resolve("own.profiles"),
            """
            cotenant-profiles 1
            workload mine device=v100-16gb k1=0 k2=58 k3=1 k4=0.3 k5=1.9 cache_sensitivity=0.002 power_slope=0.16 power_intercept_watts=4.6 l2_slope=0.02 l2_intercept_percent=0 kernels=80 scheduling_ms=0.07 input_bytes=602112 output_bytes=4000
            """);
    Path plan = onV100("name: w, profile: mine, slo_latency_ms: 40, request_rate_per_second: 100");

    assertThat(CommandRun.of("plan", plan).exitCode()).isEqualTo(1);
    assertThat(CommandRun.of("plan", plan, "--profiles", profiles).exitCode()).isZero();
  }
}
