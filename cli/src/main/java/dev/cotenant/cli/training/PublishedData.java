package dev.cotenant.cli.training;

import java.nio.file.Path;
import java.util.Optional;

/** The folder that holds published sets, which tests and standing tables use where it is named. */
public final class PublishedData {
  /** The environment variable that names the folder. */
  public static final String VARIABLE = "COTENANT_TEST_DATA";

  private PublishedData() {}

  /** Published measurements. */
  public static Optional<Path> folder() {
    return root().map(root -> root.resolve("data"));
  }

  /** Exported graphs NAME.b1.onnx of published models. */
  static Optional<Path> graphs() {
    return root().map(root -> root.resolve("models").resolve("torchvision"));
  }

  private static Optional<Path> root() {
    return Optional.ofNullable(System.getenv(VARIABLE)).map(Path::of);
  }
}
