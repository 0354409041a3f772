package dev.cotenant.predictor.hybrid;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.learning.file.PayloadReader;
import dev.cotenant.learning.file.PayloadWriter;
import dev.cotenant.learning.trees.BoostedTrees;
import dev.cotenant.predictor.hybrid.prior.Covariates;
import dev.cotenant.predictor.hybrid.prior.Prior;
import dev.cotenant.predictor.hybrid.prior.UtilizationPrior;
import dev.cotenant.predictor.model.LevelQuantiles;
import dev.cotenant.predictor.model.ModelFile;
import dev.cotenant.predictor.model.Provenance;
import dev.cotenant.predictor.model.Target;
import dev.cotenant.predictor.model.TrainingRanges;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * The payload of a predictor file: provenance, context bytes, feature ranges, then utilization and
 * memory: the logarithms of the prior's coefficients; landmarks (count, covariates, spacing,
 * centre, scale, points, heights); trees; bounds (difficulty trees; families of the landmarks and
 * quantiles by group; quantiles of left-out residuals with their formula or covariance).
 */
public final class HybridFile {
  /** In logarithms: beyond any that a fit leaves. */
  private static final double MAX_UNCERTAINTY = 1000;

  private static final int OF_COEFFICIENTS = 0;
  private static final int JACKKNIFE = 1;

  private HybridFile() {}

  /** The whole file; the same model gives the same bytes. */
  public static byte[] toBytes(HybridModel model) {
    return ModelFile.write(out -> write(out, model));
  }

  /**
   * The model of a file.
   *
   * @param name name of the file in messages
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
    write(out, target.bounds().familiar());
    write(out, target.bounds().far());
  }

  private static void write(PayloadWriter out, FamiliarGroups groups) throws IOException {
    out.writeTexts(groups.families());
    out.writeTexts(List.copyOf(groups.tables().keySet()));
    for (LevelQuantiles table : groups.tables().values()) {
      ModelFile.write(out, table);
    }
  }

  private static void write(PayloadWriter out, FarBound far) throws IOException {
    ModelFile.write(out, far.quantiles());
    switch (far) {
      case FarBound.OfCoefficients(ParameterUncertainty uncertainty, LevelQuantiles _) -> {
        out.writeInt(OF_COEFFICIENTS);
        out.writeDoubles(uncertainty.covariance().values());
        out.writeDouble(uncertainty.misfit());
      }
      case FarBound.Jackknife jackknife -> {
        DeviceTransfer transfer = jackknife.transfer();
        out.writeInt(JACKKNIFE);
        out.writeDoubles(transfer.formula().logarithms());
        out.writeTexts(transfer.measured().stream().map(DeviceId::value).toList());
        out.writeInt(jackknife.devices().size());
        for (FarBound.Jackknife.HeldOut device : jackknife.devices()) {
          out.writeDoubles(device.formula().logarithms());
          ModelFile.write(out, device.quantiles());
        }
      }
    }
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
    HybridTarget utilization = read(in, Target.UTILIZATION);
    HybridTarget memory = read(in, Target.PEAK_MEMORY);
    return new HybridModel(
        utilization, memory, new HybridModel.Origin(ranges, contextMemory, provenance));
  }

  private static HybridTarget read(PayloadReader in, Target target) {
    Prior belief = HybridFit.belief(target);
    int coefficients = belief.logarithms().length;
    Prior prior = belief.withLogarithms(in.readDoubles(coefficients));
    Landmarks landmarks = readLandmarks(in);
    HybridRegression regression =
        new HybridRegression(
            prior,
            landmarks,
            new HybridRegression.Heights(in.readFiniteFloats(landmarks.count())),
            BoostedTrees.readFrom(in, Covariates.count()),
            null);
    BoostedTrees difficulty = BoostedTrees.readFrom(in, Covariates.count());
    FamiliarGroups familiar = readGroups(in, landmarks.count());
    FarBound far = readFar(in, prior);
    return new HybridTarget(
        regression.answeringFar(far), new HybridBounds(difficulty, familiar, far));
  }

  private static FamiliarGroups readGroups(PayloadReader in, int landmarks) {
    List<String> families = in.readTexts();
    if (families.size() != landmarks) {
      throw new IllegalArgumentException(families.size() + " families of " + landmarks);
    }
    SortedMap<String, LevelQuantiles> tables = new TreeMap<>();
    for (String name : in.readTexts()) {
      tables.put(name, ModelFile.readLevels(in));
    }
    return new FamiliarGroups(families, tables);
  }

  private static FarBound readFar(PayloadReader in, Prior prior) {
    LevelQuantiles quantiles = ModelFile.readLevels(in);
    int coefficients = prior.logarithms().length;
    int kind = in.readInt();
    if (kind == JACKKNIFE) {
      return readJackknife(in, quantiles);
    }
    if (kind != OF_COEFFICIENTS) {
      throw new IllegalArgumentException("a bound of kind " + kind);
    }
    double[] covariance = small(in.readDoubles(coefficients * coefficients));
    double misfit = small(in.readFinite())[0];
    return new FarBound.OfCoefficients(
        new ParameterUncertainty(prior, new HybridLearner.Numbers(covariance), misfit), quantiles);
  }

  private static FarBound readJackknife(PayloadReader in, LevelQuantiles quantiles) {
    DeviceTransfer transfer =
        new DeviceTransfer(readFormula(in), in.readTexts().stream().map(DeviceId::new).toList());
    List<FarBound.Jackknife.HeldOut> devices = new ArrayList<>();
    int count = in.readCount(UtilizationPrior.EAGER.logarithms().length * Double.BYTES);
    for (int i = 0; i < count; i++) {
      devices.add(new FarBound.Jackknife.HeldOut(readFormula(in), ModelFile.readLevels(in)));
    }
    return new FarBound.Jackknife(transfer, quantiles, devices);
  }

  private static UtilizationPrior readFormula(PayloadReader in) {
    return UtilizationPrior.EAGER.withLogarithms(
        small(in.readDoubles(UtilizationPrior.EAGER.logarithms().length)));
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
