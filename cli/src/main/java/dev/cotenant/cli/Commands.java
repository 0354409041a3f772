package dev.cotenant.cli;

import dev.cotenant.cli.cluster.DecideCommand;
import dev.cotenant.cli.cluster.ExporterCommand;
import dev.cotenant.cli.cluster.ForecastCommand;
import dev.cotenant.cli.files.Installation;
import dev.cotenant.cli.model.DevicesCommand;
import dev.cotenant.cli.model.FeaturesCommand;
import dev.cotenant.cli.model.PredictCommand;
import dev.cotenant.cli.service.DemoCommand;
import dev.cotenant.cli.service.ServeCommand;
import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.training.DatasetsCommand;
import dev.cotenant.cli.training.EvaluateCommand;
import dev.cotenant.cli.training.TrainCommand;
import dev.cotenant.engine.Engine;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/** All commands, wired to one engine that is composed when the first of them asks for it. */
final class Commands {
  private Commands() {}

  static CommandLine line(Console console, Path home) {
    Supplier<Engine> engine = new ComposedOnce();
    Installation installation = new Installation(home);
    CommandLine line =
        new CommandLine(new CotenantCommand())
            .addSubcommand(new FeaturesCommand(console, engine))
            .addSubcommand(new PredictCommand(console, engine))
            .addSubcommand(new DevicesCommand(console))
            .addSubcommand(new ForecastCommand(console, engine, InstantSource.system()))
            .addSubcommand(new DecideCommand(console, engine, installation))
            .addSubcommand(
                new ExporterCommand(console, engine, installation, InstantSource.system()))
            .addSubcommand(DatasetsCommand.line(console))
            .addSubcommand(new TrainCommand(console, InstantSource.system()))
            .addSubcommand(new EvaluateCommand(console))
            .addSubcommand(new ServeCommand(installation))
            .addSubcommand(new DemoCommand(console, installation))
            .addSubcommand(new VersionCommand(console, engine))
            .addSubcommand(new CommandLine.HelpCommand());
    return line.setOut(console.out()).setErr(console.err()); // of all subcommands too
  }

  private static final class ComposedOnce implements Supplier<Engine> {
    private @Nullable Engine engine;

    @Override
    public Engine get() {
      Engine composed = engine;
      if (composed == null) {
        composed = Engine.standard();
        engine = composed;
      }
      return composed;
    }
  }
}
