package dev.cotenant.evaluation.compare;

import dev.cotenant.evaluation.compare.RegressionLearner.Regression;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.stream.IntStream;
import org.tribuo.Model;
import org.tribuo.MutableDataset;
import org.tribuo.impl.ArrayExample;
import org.tribuo.provenance.SimpleDataSourceProvenance;
import org.tribuo.regression.RegressionFactory;
import org.tribuo.regression.Regressor;

/** Vectors as Tribuo's examples: columns become features whose names sort as the columns do. */
final class TribuoRows {
  private static final String TARGET = "target";

  private final String[] names;

  TribuoRows(int columns) {
    names =
        IntStream.range(0, columns)
            .mapToObj(column -> String.format(Locale.ROOT, "f%05d", column))
            .toArray(String[]::new);
  }

  MutableDataset<Regressor> dataset(double[][] rows, double[] targets) {
    RegressionFactory factory = new RegressionFactory();
    OffsetDateTime noClock = OffsetDateTime.of(2000, 1, 1, 0, 0, 0, 0, ZoneOffset.UTC);
    MutableDataset<Regressor> dataset =
        new MutableDataset<>(new SimpleDataSourceProvenance(TARGET, noClock, factory), factory);
    for (int row = 0; row < rows.length; row++) {
      dataset.add(example(rows[row], targets[row]));
    }
    return dataset;
  }

  Regression regression(Model<Regressor> model, Scaling scaling) {
    return vector -> model.predict(example(scaling.apply(vector), 0)).getOutput().getValues()[0];
  }

  private ArrayExample<Regressor> example(double[] values, double target) {
    return new ArrayExample<>(new Regressor(TARGET, target), names, values);
  }
}
