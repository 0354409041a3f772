package dev.cotenant.predictor.hybrid;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.learning.file.PayloadReader;
import dev.cotenant.learning.file.PayloadWriter;
import dev.cotenant.learning.trees.BoostedTrees;
import dev.cotenant.predictor.model.BoundCoverage;
import dev.cotenant.predictor.model.ModelFile;
import dev.cotenant.predictor.model.Provenance;
import dev.cotenant.predictor.model.ResidualQuantiles;
import dev.cotenant.predictor.model.Target;
import dev.cotenant.predictor.model.TrainingRanges;
import java.io.IOException;
import java.util.Arrays;
import java.util.function.Function;

/**
 * The payload of a predictor file: provenance, context bytes, feature ranges, then utilization and
 * memory: the logarithms of the prior's coefficients; landmarks (count, covariates, spacing,
 * centre, scale, points, heights); trees; bounds (difficulty trees, familiar and novel quantiles,
 * covariance of the prior's coefficients and its misfit) and their measured coverage.
 */
public final class HybridFile {
  /** In logarithms: beyond any that a fit leaves. */
  private static final double MAX_UNCERTAINTY = 1000;

  private HybridFile() {}

  /** The whole file; the same model gives the same bytes. */
  public static byte[] toBytes(HybridModel model) {
    return ModelFile.write(out -> write(out, model));
  }

  /**
   * The model of a file.
   *
   * @param name what to call it in messages
   * @throws InputException when it is no predictor file, damaged, too large or of another version
   */
  public static HybridModel read(byte[] bytes, String name) {
    return ModelFile.read(bytes, name, new Content());
  }

  /** A class rather than a lambda, whose first one costs a new virtual machine 20 ms. */
  private static final class Content implements Function<PayloadReader, HybridModel> {
    @Override
    public HybridModel apply(PayloadReader in) {
      return read(in);
    }
  }

  private static void write(PayloadWriter out, HybridModel model) throws IOException {
    ModelFile.write(out, model.provenance());
    out.writeLong(model.contextMemory().bytes());
    ModelFile.write(out, model.ranges());
    for (Target target : Target.values()) {
      write(out, model.target(target));
    }
  }

  private static void write(PayloadWriter out, HybridTarget target) throws IOException {
    HybridRegression regression = target.regression();
    out.writeDoubles(regression.prior().logarithms());
    write(out, regression.landmarks());
    out.writeFloats(regression.heights().values());
    regression.trees().writeTo(out);
    target.bounds().difficulty().writeTo(out);
    ModelFile.write(out, target.bounds().familiar());
    ModelFile.write(out, target.bounds().novel());
    out.writeDoubles(target.bounds().uncertainty().covariance().values());
    out.writeDouble(target.bounds().uncertainty().misfit());
    ModelFile.write(out, target.coverage());
  }

  private static void write(PayloadWriter out, Landmarks landmarks) throws IOException {
    out.writeInt(landmarks.count());
    out.writeInt(landmarks.centre().length);
    out.writeDouble(landmarks.spacing());
    out.writeFloats(landmarks.centre());
    out.writeFloats(landmarks.scale());
    for (float[] point : landmarks.points()) {
      out.writeFloats(point);
    }
  }

  private static HybridModel read(PayloadReader in) {
    Provenance provenance = ModelFile.readProvenance(in);
    MemorySize contextMemory = MemorySize.ofBytes(in.readLong());
    TrainingRanges ranges = ModelFile.readRanges(in, provenance.devices());
    HybridTarget utilization = read(in, Target.UTILIZATION, provenance.coverage());
    HybridTarget memory = read(in, Target.PEAK_MEMORY, provenance.coverage());
    return new HybridModel(
        utilization, memory, new HybridModel.Origin(ranges, contextMemory, provenance));
  }

  private static HybridTarget read(PayloadReader in, Target target, Coverage aimedAt) {
    Prior belief = HybridFit.belief(target);
    int coefficients = belief.logarithms().length;
    Prior prior = belief.withLogarithms(in.readDoubles(coefficients));
    Landmarks landmarks = readLandmarks(in);
    HybridRegression regression =
        new HybridRegression(
            prior,
            landmarks,
            new HybridRegression.Heights(in.readFiniteFloats(landmarks.count())),
            BoostedTrees.readFrom(in, Covariates.count()));
    BoostedTrees difficulty = BoostedTrees.readFrom(in, Covariates.count());
    ResidualQuantiles familiar = ModelFile.readQuantiles(in);
    ResidualQuantiles novel = ModelFile.readQuantiles(in);
    double[] covariance = small(in.readDoubles(coefficients * coefficients));
    double misfit = small(in.readFinite())[0];
    ParameterUncertainty uncertainty =
        new ParameterUncertainty(prior, new HybridLearner.Numbers(covariance), misfit);
    BoundCoverage coverage = ModelFile.readCoverage(in, aimedAt);
    return new HybridTarget(
        regression, new HybridBounds(difficulty, familiar, novel, uncertainty), coverage);
  }

  private static double[] small(double... logarithms) {
    for (double logarithm : logarithms) {
      if (Math.abs(logarithm) > MAX_UNCERTAINTY) {
        throw new IllegalArgumentException("a coefficient in it is uncertain by " + logarithm);
      }
    }
    return logarithms;
  }

  private static Landmarks readLandmarks(PayloadReader in) {
    int count = in.readInt();
    int width = in.readInt();
    double spacing = in.readFinite();
    if (count < 1 || spacing < 0 || width < 1 || width > Covariates.count()) {
      throw new IllegalArgumentException(
          count + " landmarks of " + width + " covariates " + spacing + " apart");
    }
    float[] centre = in.readFiniteFloats(width);
    float[] scale = in.readFiniteFloats(width);
    for (float value : scale) {
      if (value <= 0) {
        throw new IllegalArgumentException("a covariate is scaled by " + value);
      }
    }
    float[] all = in.readFiniteFloats(PayloadReader.product(count, width));
    float[][] points = new float[count][];
    for (int i = 0; i < count; i++) {
      points[i] = Arrays.copyOfRange(all, i * width, (i + 1) * width);
    }
    return new Landmarks(centre, scale, points, spacing);
  }
}
