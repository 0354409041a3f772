package dev.cotenant.cli.training;

import dev.cotenant.cli.terminal.Console;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.colocation.ColocationRows;
import dev.cotenant.interference.evaluate.Figure;
import dev.cotenant.interference.evaluate.InterferenceEvaluation;
import dev.cotenant.predictor.evaluate.EvaluationRow;
import java.nio.file.Path;
import java.util.List;

/** How wrong interference models are on measured colocations. */
final class InterferenceTables {
  static final String TASK = "interference";

  /** The folder that holds published sets; tests and this command look there. */
  private static final String DATA_FOLDER = "COTENANT_TEST_DATA";

  private InterferenceTables() {}

  /** The standing tables on these sets, or on those under the data folder where none is named. */
  static List<EvaluationRow> standing(List<String> data, Console console) {
    List<String> sets = data.isEmpty() ? published() : data;
    if (sets.isEmpty()) {
      throw InputException.invalidArgument(
          "no-data",
          "name measured colocations with --data FORMAT:PATH ("
              + String.join(", ", ColocationSets.FORMATS)
              + ") or the folder of all with "
              + DATA_FOLDER
              + ".");
    }
    return rows(new InterferenceEvaluation().evaluate(ColocationSets.read(sets, console)));
  }

  /** Models that learnt from {@code train}, tested on {@code test}. */
  static List<EvaluationRow> given(List<String> train, List<String> test, Console console) {
    ColocationRows shown = ColocationSets.read(train, console);
    ColocationRows hidden = ColocationSets.read(test, console);
    return rows(new InterferenceEvaluation().evaluate(shown, hidden));
  }

  private static List<String> published() {
    String root = System.getenv(DATA_FOLDER);
    return root == null ? List.of() : ColocationSets.under(Path.of(root, "data"));
  }

  private static List<EvaluationRow> rows(List<Figure> figures) {
    return figures.stream()
        .map(f ->
            new EvaluationRow(
                TASK,
                f.protocol(),
                f.model(),
                f.metric(),
                f.value(),
                f.sd(),
                f.min(),
                f.max(),
                f.rows(),
                f.seeds(),
                f.reference()))
        .toList();
  }
}
