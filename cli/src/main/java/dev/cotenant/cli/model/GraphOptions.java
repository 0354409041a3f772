package dev.cotenant.cli.model;

import dev.cotenant.domain.InputException;
import dev.cotenant.features.GraphBinding;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Which graphs, and at which batch and other dimensions. */
final class GraphOptions {
  @Parameters(arity = "0..*", paramLabel = "FILE", description = "ONNX files.")
  private List<Path> files = List.of();

  @Option(
      names = "--batch",
      paramLabel = "N",
      description =
          "Samples in a batch; by default the declared shape, with symbolic dimensions as 1.")
  private @Nullable Integer batch;

  @Option(
      names = "--dim",
      paramLabel = "NAME=N",
      description = "Size of a symbolic dimension, such as --dim sequence=128; repeatable.")
  private Map<String, Integer> dimensions = new LinkedHashMap<>();

  @Option(names = "--json", description = "JSON output, one object per line.")
  private boolean json;

  /**
   * Refuses a command line without a file.
   *
   * @throws InputException ({@code no-file})
   */
  void requireFiles() {
    if (files.isEmpty()) {
      throw InputException.invalidArgument("no-file", "name at least one FILE to read.");
    }
  }

  List<Path> files() {
    return files;
  }

  boolean json() {
    return json;
  }

  /**
   * The declared batch and dimensions.
   *
   * @throws dev.cotenant.domain.InputException when a size is below 1
   */
  GraphBinding binding() {
    return new GraphBinding(batch, dimensions);
  }

  /**
   * As above for several batches, or for {@code --batch} without any.
   *
   * @throws InputException ({@code conflicting-arguments}) with both, or when a size is below 1
   */
  List<GraphBinding> bindings(List<Integer> batches) {
    if (batches.isEmpty()) {
      return List.of(binding());
    }
    if (batch != null) {
      throw InputException.invalidArgument(
          "conflicting-arguments", "--batch and --batches: name one of them.");
    }
    return batches.stream().distinct().map(each -> new GraphBinding(each, dimensions)).toList();
  }
}
