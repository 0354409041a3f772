package dev.cotenant.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.interference.profile.ProfileBook;
import dev.cotenant.interference.profile.ProfileFile;
import dev.cotenant.interference.profile.WorkloadProfile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProfilesCommandTest {
  private static final WorkloadProfile TRUTH =
      ProfileBook.builtIn().workload("resnet50").orElseThrow();
  private static final String HEADER =
      "device,model,batch_size,share_percent,neighbours,active_seconds,kernels,"
          + "kernel_pause_mean_seconds,input_bytes,output_bytes,power_mean_watts,"
          + "l2_utilization_percent\n";

  @TempDir Path folder;

  /** The collector's grid of InSS and one run beside a copy, as iGniter's coefficients say. */
  private Path points(String device) throws IOException {
    StringBuilder rows = new StringBuilder(HEADER);
    for (int batch : new int[] {1, 2, 8, 32}) {
      for (int share : new int[] {20, 40, 50, 80}) {
        rows.append(row(device, batch, share, 0, 1));
      }
    }
    rows.append(row(device, 8, 50, 1, 1.1));
    return Files.writeString(folder.resolve("points.csv"), rows);
  }

  private static String row(String device, int batch, int share, int neighbours, double longer) {
    double millis = TRUTH.activeTime().millis(batch, share);
    double rate = 1000 * batch / millis;
    return String.join(
            ",",
            device,
            "served",
            "" + batch,
            "" + share,
            "" + neighbours,
            "" + millis * longer / 1e3,
            "80",
            "" + TRUTH.schedulingMillis() / 80e3,
            "" + 602112.0 * batch,
            "" + 4000.0 * batch,
            "" + (53.5 + TRUTH.demand().powerIntercept() + TRUTH.demand().powerSlope() * rate),
            "" + (5 + 0.5 * share))
        + "\n";
  }

  private WorkloadProfile fitted(String model) throws IOException {
    Path out = folder.resolve(model + ".profiles");
    CommandRun run =
        CommandRun.of("profiles", "fit", points("v100-16gb"), "--model", model, "--out", out);
    assertThat(run.exitCode()).as(run.err()).isZero();
    return ProfileFile.read(out).workload("served").orElseThrow();
  }

  @Test
  void findsIgnitersCoefficients() throws IOException {
    WorkloadProfile found = fitted("igniter");

    assertThat(found.inss()).isNull();
    assertThat(found.activeTime().millis(16, 30) / TRUTH.activeTime().millis(16, 30))
        .isCloseTo(1, within(0.01));
    assertThat(found.demand().powerSlope()).isCloseTo(TRUTH.demand().powerSlope(), within(1e-3));
    // A tenth longer beside a copy with 30 % of L2.
    assertThat(found.cacheSensitivity()).isCloseTo(0.1 / 30, within(1e-9));
  }

  @Test
  void findsInssCoefficientsThatPlansUse() throws IOException {
    WorkloadProfile found = fitted("inss");

    assertThat(Objects.requireNonNull(found.inss()).l2Slope()).isCloseTo(0.5, within(1e-9));
    Path plan =
        Files.writeString(
            folder.resolve("fleet.yaml"),
            """
            devices: [{id: v100}]
            workloads:
              - {name: W1, profile: served, slo_latency_ms: 60, request_rate_per_second: 100}
              - {name: W2, profile: alexnet, slo_latency_ms: 25, request_rate_per_second: 300}
            arrivals: constant
            """);
    CommandRun run =
        CommandRun.of(
            "plan", plan, "--gpus", "2", "--json", "--profiles", folder.resolve("inss.profiles"));

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.json().getFirst().path("strategy").asText()).isEqualTo("most-throughput");
    assertThat(run.json().getFirst().path("gpus")).hasSize(2);
    assertThat(run.json().getFirst().path("unplaced")).isEmpty();
    assertThat(run.out()).contains("requests a second at most");
  }

  @Test
  void printsWithoutAFile() throws IOException {
    CommandRun run = CommandRun.of("profiles", "fit", points("v100-16gb"), "--model", "igniter");

    assertThat(run.exitCode()).isZero();
    assertThat(ProfileFile.parse("output", run.out()).workloads()).hasSize(1);
  }

  @Test
  void saysWhatIsWrong() throws IOException {
    check(2, "igniter or inss", "fit", points("v100-16gb"), "--model", "glet");
    check(
        2,
        "No interference coefficients for device 'a10'",
        "fit",
        points("a10"),
        "--model",
        "inss");
    check(
        1,
        "points.csv",
        "fit",
        Files.writeString(folder.resolve("points.csv"), "x\n"),
        "--model",
        "inss");
    check(1, "does not exist", "fit", folder.resolve("none.csv"), "--model", "inss");
    check(2, "no subcommand given; there is fit, upload, list, delete");
  }

  private static void check(int exitCode, String words, Object... arguments) {
    Object[] all = new Object[arguments.length + 1];
    all[0] = "profiles";
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    CommandRun run = CommandRun.of(all);
    assertThat(run.exitCode()).as(run.err()).isEqualTo(exitCode);
    assertThat(run.err()).contains(words);
  }

  @Test
  void gpusAreThoseOfOneDevice() throws IOException {
    Path plan =
        Files.writeString(
            folder.resolve("fleet.yaml"),
            "devices: [{id: v100}, {id: t4}]\n"
                + "workloads: [{name: W, profile: alexnet, slo_latency_ms: 25,"
                + " request_rate_per_second: 300}]\n");

    assertThat(CommandRun.of("plan", plan, "--gpus", "2").err()).contains("names 2");
    assertThat(CommandRun.of("plan", plan, "--gpus", "0").exitCode()).isEqualTo(2);
    assertThat(CommandRun.of("plan", plan, "--strategy", "most-throughput").err())
        .contains("--gpus");
  }
}
