package dev.cotenant.cli;

import dev.cotenant.cli.cluster.DecideCommand;
import dev.cotenant.cli.cluster.ExporterCommand;
import dev.cotenant.cli.cluster.ForecastCommand;
import dev.cotenant.cli.cluster.RightSizeCommand;
import dev.cotenant.cli.files.Installation;
import dev.cotenant.cli.lab.LabCommand;
import dev.cotenant.cli.learn.LearnCommand;
import dev.cotenant.cli.model.DevicesCommand;
import dev.cotenant.cli.model.FeaturesCommand;
import dev.cotenant.cli.model.PredictCommand;
import dev.cotenant.cli.plan.Periods;
import dev.cotenant.cli.plan.PlanCommand;
import dev.cotenant.cli.remote.ExplainCommand;
import dev.cotenant.cli.remote.GpusCommand;
import dev.cotenant.cli.remote.ModelsCommand;
import dev.cotenant.cli.remote.ProfilesCommand;
import dev.cotenant.cli.remote.PromoteCommand;
import dev.cotenant.cli.remote.QueueCommand;
import dev.cotenant.cli.remote.RollbackCommand;
import dev.cotenant.cli.remote.RowsCommand;
import dev.cotenant.cli.remote.TrainingsCommand;
import dev.cotenant.cli.remote.UngateCommand;
import dev.cotenant.cli.remote.UploadCommand;
import dev.cotenant.cli.remote.VersionsCommand;
import dev.cotenant.cli.service.DemoCommand;
import dev.cotenant.cli.service.ServeCommand;
import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.training.DatasetsCommand;
import dev.cotenant.cli.training.EvaluateCommand;
import dev.cotenant.cli.training.TrainCommand;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.EngineSettings;
import dev.cotenant.engine.Lazy;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import picocli.AutoComplete;
import picocli.CommandLine;

/** All commands, wired to one engine that is composed when the first of them needs it. */
final class Commands {
  /** Characters of a line of help. */
  private static final int HELP_WIDTH = 80;

  /** The least that picocli takes. */
  private static final int MIN_HELP_WIDTH = 55;

  private Commands() {}

  /**
   * The line for these arguments. Reading the annotations of all commands takes longer than most of
   * them run, so where the first argument names one, the others are left out.
   */
  static CommandLine line(Console console, Path home, String... arguments) {
    CotenantCommand cotenant = new CotenantCommand();
    Map<String, Supplier<Object>> commands = all(console, home, cotenant);
    String wanted = arguments.length == 0 ? "" : arguments[0];
    CommandLine line = new CommandLine(cotenant);
    commands.forEach((name, command) -> {
      if (name.equals(wanted) || !commands.containsKey(wanted)) {
        line.addSubcommand(name, command.get());
      }
    });
    if (!commands.containsKey(wanted)) {
      line.addSubcommand(new CommandLine.HelpCommand());
      line.addSubcommand(new AutoComplete.GenerateCompletion());
    }
    return line.setOut(console.out()) // of all subcommands too
        .setErr(console.err())
        .setUsageHelpWidth(Math.clamp(console.width(), MIN_HELP_WIDTH, HELP_WIDTH));
  }

  private static Map<String, Supplier<Object>> all(
      Console console, Path home, CotenantCommand cotenant) {
    Supplier<DeviceCatalogue> devices = cotenant::catalogue;
    Supplier<Engine> engine =
        new Lazy<>(() -> Engine.lazy(EngineSettings.DEFAULT.withDevices(devices.get())));
    Installation installation = new Installation(home);
    Map<String, Supplier<Object>> commands = new LinkedHashMap<>();
    commands.put("features", () -> new FeaturesCommand(console, engine));
    commands.put("predict", () -> new PredictCommand(console, engine));
    commands.put("devices", () -> new DevicesCommand(console, devices));
    commands.put("forecast", () -> new ForecastCommand(console, engine, InstantSource.system()));
    commands.put("right-size", () -> new RightSizeCommand(console, InstantSource.system()));
    commands.put("decide", () -> new DecideCommand(console, engine, installation));
    commands.put(
        "plan", () -> new PlanCommand(console, engine, Periods.of(InstantSource.system())));
    commands.put("profiles", () -> ProfilesCommand.line(console));
    commands.put(
        "exporter",
        () -> new ExporterCommand(console, engine, installation, InstantSource.system()));
    commands.put("datasets", () -> DatasetsCommand.line(console, devices));
    commands.put("train", () -> new TrainCommand(console, devices));
    commands.put("evaluate", () -> new EvaluateCommand(console, devices));
    commands.put("learn", () -> LearnCommand.line(console));
    commands.put("lab", () -> LabCommand.line(console, engine));
    commands.put("explain", () -> new ExplainCommand(console));
    commands.put("gpus", () -> new GpusCommand(console));
    commands.put("queue", () -> new QueueCommand(console));
    commands.put("models", () -> new ModelsCommand(console));
    commands.put("rows", () -> new RowsCommand(console));
    commands.put("trainings", () -> new TrainingsCommand(console));
    commands.put("versions", () -> new VersionsCommand(console));
    commands.put("promote", () -> new PromoteCommand(console));
    commands.put("rollback", () -> new RollbackCommand(console));
    commands.put("upload", () -> new UploadCommand(console));
    commands.put("ungate", () -> new UngateCommand(console));
    commands.put("serve", () -> new ServeCommand(installation, cotenant::devices));
    commands.put("demo", () -> new DemoCommand(console, engine, installation, cotenant::devices));
    commands.put("version", () -> new VersionCommand(console, engine));
    return commands;
  }
}
