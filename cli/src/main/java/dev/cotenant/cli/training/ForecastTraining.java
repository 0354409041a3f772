package dev.cotenant.cli.training;

import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Progress;
import dev.cotenant.domain.forecast.SeriesSource;
import dev.cotenant.forecast.train.PeakTrainer;
import dev.cotenant.forecast.trees.PeakModel;
import dev.cotenant.forecast.trees.PeakModelFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Makes the model of the peak forecaster. */
final class ForecastTraining {
  private static final String FILE = "peak-forecast.model";
  private final Console console;

  ForecastTraining(Console console) {
    this.console = console;
  }

  void train(List<String> data, long seed, Path out) throws IOException {
    List<SeriesSource.Result> sets = new DataSets(console).series(data);
    Files.createDirectories(out);
    PeakModel model;
    try (Progress progress = console.progress("Training")) {
      progress.step("the peak forecaster");
      model = new PeakTrainer(seed).train(sets);
    }
    PeakModelFile.write(model, out.resolve(FILE));
    console.line(
        "wrote "
            + out.resolve(FILE)
            + ": "
            + model.provenance().windows()
            + " windows of "
            + model.provenance().series()
            + " series, "
            + model.provenance().data());
  }
}
