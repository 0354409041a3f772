package dev.cotenant.cli.training;

import dev.cotenant.datasets.Importers;
import java.util.ListResourceBundle;

/** The formats that help texts name, as {@code ${bundle:formats.runs}}. */
public final class FormatTexts extends ListResourceBundle {
  static final String NAME = "dev.cotenant.cli.training.FormatTexts";

  @Override
  protected Object[][] getContents() {
    return new Object[][] {
      {"formats.runs", words(Importers.RUNS) + ", " + ProfileCsv.FORMAT},
      {"formats.colocations", words(Importers.COLOCATIONS)},
      {"formats.series", words(Importers.SERIES)},
      {"formats.step-times", words(Importers.STEP_TIMES)},
      {"formats.language-models", words(Importers.LANGUAGE_MODELS)},
    };
  }

  private static String words(Importers<?> importers) {
    return String.join(", ", importers.formats());
  }
}
