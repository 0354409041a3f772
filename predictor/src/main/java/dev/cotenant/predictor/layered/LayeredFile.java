package dev.cotenant.predictor.layered;

import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.predictor.boost.BoostedTrees;
import dev.cotenant.predictor.forest.BoundCoverage;
import dev.cotenant.predictor.forest.ModelFileWriter;
import dev.cotenant.predictor.forest.PayloadReader;
import dev.cotenant.predictor.forest.PayloadReader.NewerSchemaException;
import dev.cotenant.predictor.forest.Provenance;
import dev.cotenant.predictor.forest.ResidualQuantiles;
import dev.cotenant.predictor.forest.Target;
import dev.cotenant.predictor.forest.TrainingRanges;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Arrays;

/**
 * The payload of a file of layers: provenance, context bytes, feature ranges, schema of the
 * covariates, then utilization and memory: the logarithms of the prior's coefficients; landmarks
 * (count, covariates, spacing, centre, scale, points, heights); trees; bounds (difficulty trees,
 * familiar and novel quantiles, covariance of the prior's coefficients and its misfit) and their
 * measured coverage. Trees are depth, count, covariates, the number of thresholds of each, the
 * thresholds, nodes, leaves, as {@link BoostedTrees.Ranks} tells.
 *
 * <p>Schema 4 had trees as split features, thresholds and leaves, and all of them and of the
 * landmarks looked at {@value #COVARIATES_BEFORE} covariates. Schema 3 told memory from the outputs
 * of layers, with six coefficients. Schema 2 had three coefficients of memory and neither
 * covariance nor misfit: its novel quantiles are in the logarithm itself.
 */
public final class LayeredFile {
  private static final int SCHEMA_VERSION = 5;
  private static final int OF_SPLITS = 4;
  private static final int OF_OUTPUTS = 3;
  private static final int WITHOUT_DOUBT = 2;
  private static final int MOST_DEPTH = 12;

  /** Covariates up to schema 4. */
  private static final int COVARIATES_BEFORE = 19;

  /** In logarithms: beyond any that a fit leaves. */
  private static final double MOST_DOUBT = 1000;

  private LayeredFile() {}

  /**
   * The whole file; the same model gives the same bytes.
   *
   * @throws IllegalArgumentException when it was read from a file of schema 3 or before, which are
   *     read only
   */
  public static byte[] toBytes(LayeredModel model) {
    if (model.target(Target.PEAK_MEMORY).regression().prior() instanceof OutputsMemoryPrior) {
      throw new IllegalArgumentException("a model of a schema that is no longer written");
    }
    return ModelFileWriter.layersToBytes(out -> write(out, model));
  }

  private static void write(DataOutputStream out, LayeredModel model) throws IOException {
    ModelFileWriter.writeLayersProvenance(out, model.provenance());
    out.writeLong(model.contextMemory().bytes());
    ModelFileWriter.writeRanges(out, model.ranges());
    out.writeInt(SCHEMA_VERSION);
    for (Target target : Target.values()) {
      write(out, model.target(target));
    }
  }

  private static void write(DataOutputStream out, LayeredTarget target) throws IOException {
    LayeredRegression regression = target.regression();
    for (double logarithm : regression.prior().logarithms()) {
      out.writeDouble(logarithm);
    }
    write(out, regression.landmarks());
    write(out, regression.heights().values());
    write(out, regression.trees());
    write(out, target.bounds().difficulty());
    ModelFileWriter.writeQuantiles(out, target.bounds().familiar());
    ModelFileWriter.writeQuantiles(out, target.bounds().novel());
    for (double entry : target.bounds().doubt().covariance().values()) {
      out.writeDouble(entry);
    }
    out.writeDouble(target.bounds().doubt().misfit());
    ModelFileWriter.writeCoverage(out, target.coverage());
  }

  private static void write(DataOutputStream out, Landmarks landmarks) throws IOException {
    out.writeInt(landmarks.count());
    out.writeInt(landmarks.centre().length);
    out.writeDouble(landmarks.spacing());
    write(out, landmarks.centre());
    write(out, landmarks.scale());
    for (float[] point : landmarks.points()) {
      write(out, point);
    }
  }

  private static void write(DataOutputStream out, BoostedTrees trees) throws IOException {
    out.writeInt(trees.depth());
    out.writeInt(trees.size());
    out.writeInt(trees.features());
    BoostedTrees.Ranks ranks = trees.ranks();
    for (float[] thresholds : ranks.thresholds()) {
      out.writeInt(thresholds.length);
    }
    for (float[] thresholds : ranks.thresholds()) {
      write(out, thresholds);
    }
    for (char node : ranks.nodes()) {
      out.writeChar(node);
    }
    write(out, ranks.leaves());
  }

  private static void write(DataOutputStream out, float[] values) throws IOException {
    for (float value : values) {
      out.writeFloat(value);
    }
  }

  /** The model of such a payload. */
  public static LayeredModel read(PayloadReader in) {
    Provenance provenance = in.readProvenance();
    MemorySize contextMemory = MemorySize.ofBytes(in.readLong());
    TrainingRanges ranges = in.readRanges(provenance.devices());
    int schema = in.readInt();
    if (schema < WITHOUT_DOUBT || schema > SCHEMA_VERSION) {
      throw new NewerSchemaException(schema, SCHEMA_VERSION);
    }
    LayeredTarget utilization = read(in, Target.UTILIZATION, schema, provenance.coverage());
    LayeredTarget memory = read(in, Target.PEAK_MEMORY, schema, provenance.coverage());
    return new LayeredModel(
        utilization, memory, new LayeredModel.Origin(ranges, contextMemory, provenance));
  }

  private static LayeredTarget read(PayloadReader in, Target target, int schema, Coverage aimedAt) {
    Prior prior = readPrior(in, target, schema);
    Landmarks landmarks = readLandmarks(in, schema);
    LayeredRegression regression =
        new LayeredRegression(
            prior,
            landmarks,
            new LayeredRegression.Heights(requireFinite(in.readFloats(landmarks.count()))),
            readTrees(in, schema));
    BoostedTrees difficulty = readTrees(in, schema);
    ResidualQuantiles familiar = in.readQuantiles();
    ResidualQuantiles novel = in.readQuantiles();
    Doubt doubt = schema == WITHOUT_DOUBT ? Doubt.alike(prior) : readDoubt(in, prior);
    BoundCoverage coverage = in.readCoverage(aimedAt);
    return new LayeredTarget(
        regression, new LayeredBounds(difficulty, familiar, novel, doubt), coverage);
  }

  private static Prior readPrior(PayloadReader in, Target target, int schema) {
    if (target == Target.UTILIZATION || schema > OF_OUTPUTS) {
      return readPrior(in, LayeredFit.belief(target));
    }
    return schema == OF_OUTPUTS
        ? readPrior(in, OutputsMemoryPrior.ANY)
        : OutputsMemoryPrior.ofOldLogarithms(number(in), number(in), number(in));
  }

  private static Prior readPrior(PayloadReader in, Prior form) {
    double[] logarithms = new double[form.logarithms().length];
    for (int i = 0; i < logarithms.length; i++) {
      logarithms[i] = number(in);
    }
    return form.withLogarithms(logarithms);
  }

  private static Doubt readDoubt(PayloadReader in, Prior prior) {
    int count = prior.logarithms().length;
    double[] covariance = new double[count * count];
    for (int i = 0; i < covariance.length; i++) {
      covariance[i] = small(number(in));
    }
    return new Doubt(prior, new LayeredLearner.Numbers(covariance), small(number(in)));
  }

  private static double small(double logarithms) {
    if (Math.abs(logarithms) > MOST_DOUBT) {
      throw new IllegalArgumentException("it doubts by " + logarithms);
    }
    return logarithms;
  }

  private static double number(PayloadReader in) {
    return requireFinite(in.readDouble());
  }

  private static Landmarks readLandmarks(PayloadReader in, int schema) {
    int count = in.readInt();
    int width = readCovariates(in, schema);
    double spacing = requireFinite(in.readDouble());
    if (count < 1 || spacing < 0) {
      throw new IllegalArgumentException(count + " landmarks " + spacing + " apart");
    }
    float[] centre = requireFinite(in.readFloats(width));
    float[] scale = requireFinite(in.readFloats(width));
    for (float value : scale) {
      if (value <= 0) {
        throw new IllegalArgumentException("a covariate is scaled by " + value);
      }
    }
    float[] all = requireFinite(in.readFloats(product(count, width)));
    float[][] points = new float[count][];
    for (int i = 0; i < count; i++) {
      points[i] = Arrays.copyOfRange(all, i * width, (i + 1) * width);
    }
    return new Landmarks(centre, scale, points, spacing);
  }

  /** How many covariates something looks at. */
  private static int readCovariates(PayloadReader in, int schema) {
    int count = schema > OF_SPLITS ? in.readInt() : COVARIATES_BEFORE;
    if (count < 1 || count > Covariates.count()) {
      throw new IllegalArgumentException("it looks at " + count + " covariates");
    }
    return count;
  }

  private static BoostedTrees readTrees(PayloadReader in, int schema) {
    int depth = in.readInt();
    int count = in.readInt();
    if (depth < 1 || depth > MOST_DEPTH || count < 1) {
      throw new IllegalArgumentException("it claims " + count + " trees of depth " + depth);
    }
    int features = readCovariates(in, schema);
    int nodes = product(count, (1 << depth) - 1);
    if (schema <= OF_SPLITS) {
      short[] splits = in.readShorts(nodes);
      float[] thresholds = in.readFloats(nodes);
      return new BoostedTrees(depth, features, splits, thresholds, in.readFloats(nodes + count));
    }
    float[][] thresholds = readThresholds(in, features);
    char[] places = in.readChars(nodes);
    return BoostedTrees.ofRanks(
        depth, new BoostedTrees.Ranks(thresholds, places, in.readFloats(nodes + count)));
  }

  private static float[][] readThresholds(PayloadReader in, int features) {
    int[] counts = new int[features];
    for (int feature = 0; feature < features; feature++) {
      counts[feature] = in.readInt();
    }
    float[][] thresholds = new float[features][];
    for (int feature = 0; feature < features; feature++) {
      thresholds[feature] = in.readFloats(counts[feature]);
    }
    return thresholds;
  }

  private static int product(int count, int each) {
    long product = (long) count * each;
    if (product > Integer.MAX_VALUE / 2) {
      throw new IllegalArgumentException("it claims " + product + " numbers");
    }
    return (int) product;
  }

  private static double requireFinite(double value) {
    if (!Double.isFinite(value)) {
      throw new IllegalArgumentException("a number in it is " + value);
    }
    return value;
  }

  private static float[] requireFinite(float[] values) {
    float zero = 0;
    for (float value : values) {
      zero += 0 * value; // not a number where the value is none or infinite
    }
    requireFinite(zero);
    return values;
  }
}
