package dev.cotenant.cli.training;

import dev.cotenant.datasets.collector.CollectorSource;
import dev.cotenant.datasets.gpumemnet.GpuMemNetSource;
import dev.cotenant.datasets.named.AlnairSource;
import dev.cotenant.datasets.named.CarmaSource;
import dev.cotenant.datasets.named.LicenceScope;
import dev.cotenant.datasets.named.LucidSource;
import dev.cotenant.datasets.named.NamedModelsSource;
import dev.cotenant.datasets.named.SpreadSource;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.profile.ProfileSource;
import java.nio.file.Path;
import java.util.List;

/** Sets of measured runs that users name as {@code FORMAT:PATH}. */
final class ProfileSets {
  static final List<String> FORMATS =
      List.of("alnair", "carma", "collector", "gpumemnet", "lucid", "named-models", "spread");

  private final LicenceScope scope;

  /** Rows whose licence does not allow {@code scope} are rejected. */
  ProfileSets(LicenceScope scope) {
    this.scope = scope;
  }

  /**
   * The set that {@code FORMAT:PATH} names.
   *
   * @throws InputException ({@code bad-data-set}, {@code unknown-format})
   */
  ProfileSource named(String formatAndPath) {
    int colon = formatAndPath.indexOf(':');
    if (colon < 0) {
      throw InputException.invalidArgument(
          "bad-data-set",
          "'" + formatAndPath + "' is not FORMAT:PATH, such as gpumemnet:runs.csv.gz.");
    }
    return of(formatAndPath.substring(0, colon), Path.of(formatAndPath.substring(colon + 1)));
  }

  /**
   * A file, or for the collector a folder, in a format.
   *
   * @throws InputException ({@code unknown-format})
   */
  ProfileSource of(String format, Path path) {
    return switch (format) {
      case "alnair" -> new AlnairSource(path);
      case "carma" -> new CarmaSource(path);
      case "collector" -> new CollectorSource(path);
      case "gpumemnet" -> new GpuMemNetSource(path);
      case "lucid" -> new LucidSource(path, scope);
      case "named-models" -> new NamedModelsSource(path, scope);
      case "spread" -> new SpreadSource(path);
      default ->
          throw InputException.invalidArgument(
              "unknown-format",
              "Unknown format '" + format + "': use one of " + String.join(", ", FORMATS) + ".");
    };
  }
}
