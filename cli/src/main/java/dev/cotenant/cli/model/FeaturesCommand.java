package dev.cotenant.cli.model;

import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Words;
import dev.cotenant.domain.graph.ExecutionFeatures;
import dev.cotenant.domain.graph.GraphFeatures;
import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.graph.StoredParameters;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.view.FeaturesView;
import dev.cotenant.features.GraphBinding;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** What is read from model graphs. */
@Command(
    name = "features",
    mixinStandardHelpOptions = true,
    description = "Reads the features of ONNX graphs; weights are neither needed nor loaded.")
public final class FeaturesCommand implements Callable<Integer> {
  private final Console console;
  private final Supplier<Engine> engine;

  @Mixin private GraphOptions options = new GraphOptions();

  public FeaturesCommand(Console console, Supplier<Engine> engine) {
    this.console = console;
    this.engine = engine;
  }

  @Override
  public Integer call() {
    options.requireFiles();
    GraphBinding binding = options.binding();
    return new FileByFile(console, options.json())
        .each(options.files(), file -> print(file, inspect(file, binding)));
  }

  private GraphFeatures inspect(Path file, GraphBinding binding) {
    return engine.get().inspect(engine.get().reader().read(file), binding);
  }

  private void print(Path file, GraphFeatures features) {
    if (options.json()) {
      console.json(FeaturesView.of(file.toString(), features));
      return;
    }
    ModelFeatures model = features.model();
    console.line(file + ", batch " + model.batchSize());
    figure("multiply-accumulates", Words.count(model.multiplyAccumulates()));
    figure("floating-point operations", String.format(Locale.ROOT, "%,.0f", model.flops()));
    figure("by class", work(features.execution()));
    figure("parameters", Words.count(model.parameters()));
    figure("model size", model.modelSize() + ", " + types(features.parameters()));
    figure("activations", model.activations().toString());
    figure("peak activations", features.peakActivations().toString());
    figure("layers", layers(model.layers()));
    figure("operators", Words.count(features.operators()));
    figure("kernels after fusion", kernels(features.execution()));
    figure("memory traffic", traffic(features.execution()));
    figure("known shapes", String.format(Locale.ROOT, "%.0f %%", 100 * features.shapeCoverage()));
    features.warnings().forEach(warning -> console.note("warning: " + file + ": " + warning));
  }

  private void figure(String name, String value) {
    console.line(String.format(Locale.ROOT, "  %-27s%s", name, value));
  }

  private static String work(ExecutionFeatures execution) {
    String shares =
        execution.work().keySet().stream()
            .map(kind ->
                String.format(
                    Locale.ROOT,
                    "%.1f %% %s",
                    100 * execution.share(kind),
                    kind.key().replace('_', ' ')))
            .collect(Collectors.joining(", "));
    return shares.isEmpty() ? "none" : shares;
  }

  private static String types(List<StoredParameters> parameters) {
    return parameters.isEmpty()
        ? "nothing stored"
        : parameters.stream().map(StoredParameters::elementType).collect(Collectors.joining(", "));
  }

  private static String kernels(ExecutionFeatures execution) {
    return String.format(
        Locale.ROOT,
        "%,d, %,d on the longest path, at most %,d side by side",
        execution.kernels(),
        execution.depth(),
        execution.width());
  }

  private static String traffic(ExecutionFeatures execution) {
    return String.format(
        Locale.ROOT,
        "%s read, %s written, %s of weights; %.1f FLOP a byte",
        execution.activationsRead(),
        execution.activationsWritten(),
        execution.weightsRead(),
        execution.arithmeticIntensity());
  }

  private static String layers(LayerCounts layers) {
    return String.format(
        Locale.ROOT,
        "%d convolution, %d linear, %d activation, %d other",
        layers.convolution(),
        layers.linear(),
        layers.activation(),
        layers.other());
  }
}
