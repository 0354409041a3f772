package dev.cotenant.evaluation.learner;

import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.tribuo.Model;
import org.tribuo.MutableDataset;
import org.tribuo.impl.ArrayExample;
import org.tribuo.provenance.SimpleDataSourceProvenance;
import org.tribuo.regression.RegressionFactory;
import org.tribuo.regression.Regressor;

/** Vectors as Tribuo's examples: columns become features whose names sort as the columns do. */
public final class TribuoRows {
  private static final String TARGET = "target";

  private final String[] names;

  public TribuoRows(int columns) {
    names =
        IntStream.range(0, columns)
            .mapToObj(column -> String.format(Locale.ROOT, "f%05d", column))
            .toArray(String[]::new);
  }

  /** A data set of rows that count alike. */
  public MutableDataset<Regressor> dataset(double[][] rows, double[] targets) {
    return dataset(rows.length, row -> example(rows[row], targets[row]));
  }

  /** A data set of weighted rows. */
  MutableDataset<Regressor> dataset(float[][] rows, double[] weights, double[] targets) {
    return dataset(
        rows.length,
        row -> {
          ArrayExample<Regressor> example = example(doubles(rows[row]), targets[row]);
          example.setWeight((float) weights[row]);
          return example;
        });
  }

  private static MutableDataset<Regressor> dataset(
      int rows, IntFunction<ArrayExample<Regressor>> exampleOf) {
    RegressionFactory factory = new RegressionFactory();
    OffsetDateTime noClock = OffsetDateTime.of(2000, 1, 1, 0, 0, 0, 0, ZoneOffset.UTC);
    MutableDataset<Regressor> dataset =
        new MutableDataset<>(new SimpleDataSourceProvenance(TARGET, noClock, factory), factory);
    IntStream.range(0, rows).mapToObj(exampleOf).forEach(dataset::add);
    return dataset;
  }

  static double[] doubles(float[] row) {
    return IntStream.range(0, row.length).mapToDouble(column -> row[column]).toArray();
  }

  /** A model's answer for a row. */
  public double predict(Model<Regressor> model, double... row) {
    return model.predict(example(row, 0)).getOutput().getValues()[0];
  }

  private ArrayExample<Regressor> example(double[] values, double target) {
    return new ArrayExample<>(new Regressor(TARGET, target), names, values);
  }
}
