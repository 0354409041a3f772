package dev.cotenant.cli.remote;

import dev.cotenant.cli.terminal.Console;
import dev.cotenant.datasets.collector.ProfilePointsSource;
import dev.cotenant.datasets.collector.ProfilePointsSource.ProfilePoints;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.colocation.ProfilingRuns;
import dev.cotenant.interference.fit.IgniterCoefficients;
import dev.cotenant.interference.fit.InssCoefficients;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.ProfileBook;
import dev.cotenant.interference.profile.ProfileFile;
import dev.cotenant.interference.profile.ProfileText;
import dev.cotenant.interference.profile.WorkloadProfile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Coefficients of services from measured points. */
@Command(
    name = "fit",
    mixinStandardHelpOptions = true,
    description = {
      "Fits latency profiles of inference services to measurements.",
      "igniter: 11 measurements a service, one of them colocated with a copy of itself. inss: 16"
          + " more; InSS's regression then replaces iGniter's formula."
    })
final class FitProfilesCommand implements Callable<Integer> {
  private final Console console;

  /** Whose form the coefficients have. */
  enum Form {
    IGNITER,
    INSS;

    WorkloadProfile fit(ProfilingRuns.Workload runs, DeviceProfile device) {
      return this == INSS
          ? InssCoefficients.of(runs, device)
          : IgniterCoefficients.of(runs, device);
    }
  }

  @Parameters(
      paramLabel = "POINTS.csv",
      description =
          "The collector's profile-points.csv, or a CSV with its columns (docs/planning.md).")
  private Path points = Path.of("");

  @Option(
      names = "--model",
      paramLabel = "NAME",
      required = true,
      description = "Form of the coefficients: igniter or inss.")
  private String model = "";

  @Option(
      names = "--profiles",
      paramLabel = "FILE",
      description =
          "Coefficients of the device, such as the collector's, in addition to the built-in ones.")
  private @Nullable Path profiles;

  @Option(
      names = "--out",
      paramLabel = "FILE",
      description = "File of the profiles (default: standard output).")
  private @Nullable Path out;

  FitProfilesCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    Form form = form();
    ProfileBook builtIn = ProfileBook.builtIn();
    ProfileBook book = profiles == null ? builtIn : ProfileFile.read(profiles).plus(builtIn);
    ProfilePoints read =
        new ProfilePointsSource(points)
            .read(device -> book.requireDevice(device).maxFrequencyMegahertz());
    read.rejected().forEach(reason -> console.note("skipped: " + reason));
    DeviceProfile device = book.requireDevice(read.device());
    List<WorkloadProfile> fitted = new ArrayList<>();
    for (ProfilingRuns.Workload workload : read.workloads()) {
      fitted.add(form.fit(workload, device));
    }
    write(ProfileText.of(List.of(device), fitted));
    return 0;
  }

  private Form form() {
    return switch (model) {
      case "igniter" -> Form.IGNITER;
      case "inss" -> Form.INSS;
      default ->
          throw InputException.invalidArgument(
              "unknown-profile-model", "--model is igniter or inss, not '" + model + "'.");
    };
  }

  private void write(String text) {
    if (out == null) {
      text.lines().forEach(console::line);
      return;
    }
    try {
      Files.writeString(out, text);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write " + out, e);
    }
  }
}
