package dev.cotenant.engine.lifecycle;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.predictor.Predictor;
import dev.cotenant.predictor.model.FeaturePredictor;
import dev.cotenant.predictor.model.Provenance;
import dev.cotenant.predictor.plugin.Regressor;
import dev.cotenant.predictor.plugin.RegressorLoader;
import java.nio.file.Path;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * A model that answers alone, read from its file.
 *
 * @param predictor what answers
 * @param label its name in predictions
 * @param card its model card, Markdown
 * @param provenance where it comes from, one {@code key: value} a line
 */
public record BaseModel(FeaturePredictor predictor, String label, String card, String provenance) {
  /** Reads files of base models and of regressors. */
  @FunctionalInterface
  public interface Reader {
    /** The format that this release writes. */
    Reader STANDARD = BaseModel::read;

    /**
     * Reads a file.
     *
     * @param name name of the file in messages
     * @throws dev.cotenant.domain.InputException when it is none, damaged or of a newer format
     */
    BaseModel read(byte[] file, String name);

    /**
     * Reads a user's regressor.
     *
     * @throws dev.cotenant.domain.InputException when it cannot be used, or ({@code
     *     regressors-not-installed}) there is no reader of such
     */
    default Regressor regressor(byte[] file, String name) {
      return RegressorLoader.installed().read(file, name, DeviceCatalogue.builtIn());
    }

    /**
     * The standard reader, extended by the regressor plugin of a folder.
     *
     * @param devices the catalogue, at present
     */
    static Reader withPlugin(Path folder, Supplier<DeviceCatalogue> devices) {
      return new Reader() {
        @Override
        public BaseModel read(byte[] file, String name) {
          return STANDARD.read(file, name);
        }

        @Override
        public Regressor regressor(byte[] file, String name) {
          return RegressorLoader.in(folder).read(file, name, devices.get());
        }
      };
    }
  }

  private static BaseModel read(byte[] file, String name) {
    Predictor predictor = Predictor.ofBytes(file, name);
    String provenance = lines(predictor.provenance());
    String card =
        "# "
            + predictor.version()
            + "\n\nA model that was trained on published measurements; docs/model-card.md says how"
            + " good it is.\n\n"
            + provenance.lines().map(line -> "- " + line).collect(Collectors.joining("\n"))
            + "\n";
    return new BaseModel(predictor, predictor.version(), card, provenance);
  }

  private static String lines(Provenance provenance) {
    StringBuilder lines = new StringBuilder();
    lines.append("seed: ").append(provenance.seed()).append('\n');
    lines.append("coverage: ").append(provenance.coverage().fraction()).append('\n');
    provenance
        .dataSets()
        .forEach(set ->
            lines
                .append("data_set: ")
                .append(set.format())
                .append(", sha256 ")
                .append(set.sha256())
                .append(", rows used ")
                .append(set.rowsUsed())
                .append('\n'));
    lines.append("devices: ").append(provenance.devices()).append('\n');
    lines.append("families: ").append(provenance.families()).append('\n');
    return lines.toString();
  }
}
