package dev.cotenant.interference.risk;

import dev.cotenant.domain.InputException;
import dev.cotenant.interference.risk.RiskModel.Measured;
import dev.cotenant.learning.file.FileFormat;
import dev.cotenant.learning.file.FileFormatException;
import dev.cotenant.learning.file.PayloadReader;
import dev.cotenant.learning.file.PayloadWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The file of a risk model: names of the effects, scale and deviations of the prior, then the mean
 * measurement of each sharing. The mean of the prior is code, and not in the file.
 */
public final class RiskModelFile {
  /** Larger than {@link RiskModel#MAX_ROWS} sharings of three jobs with names of 500 characters. */
  public static final int MAX_BYTES = 8 << 20;

  private static final FileFormat FORMAT = new FileFormat("COTI", 1, MAX_BYTES);
  private static final int LEAST_JOB_BYTES = 2 * Integer.BYTES + 2 * Double.BYTES;
  private static final int LEAST_SHARING_BYTES =
      2 * Integer.BYTES + 2 * LEAST_JOB_BYTES + 2 * Double.BYTES;

  private RiskModelFile() {}

  /** The file of a model; the same measurements in the same order give the same bytes. */
  public static byte[] write(RiskModel model) {
    return FORMAT.write(out -> write(out, model));
  }

  /**
   * Reads a file.
   *
   * @param name names the file in errors
   * @param mean of the prior
   * @throws InputException ({@code risk-model-unreadable}) with what is wrong and what to do
   */
  public static RiskModel read(byte[] bytes, String name, RiskPrior.Mean mean) {
    try {
      return FORMAT.read(bytes, in -> read(in, mean));
    } catch (FileFormatException e) {
      throw new InputException(
          InputException.Kind.MALFORMED,
          "risk-model-unreadable",
          name + " " + e.getMessage() + ".",
          e);
    }
  }

  private static List<String> effects() {
    return Deviations.fitted().stream().map(Effect::name).toList();
  }

  private static void write(PayloadWriter out, RiskModel model) throws IOException {
    RiskPrior prior = model.prior();
    out.writeTexts(effects());
    for (Effect effect : Deviations.fitted()) {
      out.writeDouble(prior.deviations().byEffect().getOrDefault(effect, 0.0));
    }
    for (int i = 0; i < UsageScale.PRODUCTS; i++) {
      out.writeDoubles(prior.scale().means().get(i), prior.scale().deviations().get(i));
    }
    List<Measured> measured = model.measured();
    out.writeInt(measured.size());
    for (Measured one : measured) {
      write(out, one);
    }
  }

  private static void write(PayloadWriter out, Measured measured) throws IOException {
    Sharing sharing = measured.sharing();
    out.writeText(sharing.device());
    write(out, sharing.victim());
    out.writeInt(sharing.aggressors().size());
    for (SharedJob aggressor : sharing.aggressors()) {
      write(out, aggressor);
    }
    out.writeDoubles(measured.information(), measured.meanLogSpeed());
  }

  private static void write(PayloadWriter out, SharedJob job) throws IOException {
    out.writeText(job.configuration());
    out.writeText(job.model());
    out.writeDoubles(job.utilization(), job.bandwidth());
  }

  private static RiskModel read(PayloadReader in, RiskPrior.Mean mean) {
    if (!in.readTexts().equals(effects())) {
      throw new IllegalArgumentException("it has other effects than this release");
    }
    double[] deviations = in.readDoubles(effects().size());
    Map<Effect, Double> byEffect = new EnumMap<>(Effect.class);
    for (int i = 0; i < deviations.length; i++) {
      byEffect.put(Deviations.fitted().get(i), deviations[i]);
    }
    RiskPrior prior = new RiskPrior(readScale(in), new Deviations(byEffect), mean);
    int count = in.readCount(LEAST_SHARING_BYTES);
    if (count > RiskModel.MAX_ROWS) {
      throw new IllegalArgumentException(
          "it has " + count + " sharings, at most " + RiskModel.MAX_ROWS + " are read");
    }
    List<Measured> measured = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      measured.add(readMeasured(in));
    }
    return RiskModel.of(prior, measured);
  }

  private static UsageScale readScale(PayloadReader in) {
    double[] numbers = in.readDoubles(2 * UsageScale.PRODUCTS);
    return new UsageScale(
        IntStream.range(0, UsageScale.PRODUCTS).mapToObj(i -> numbers[2 * i]).toList(),
        IntStream.range(0, UsageScale.PRODUCTS).mapToObj(i -> numbers[2 * i + 1]).toList());
  }

  private static Measured readMeasured(PayloadReader in) {
    String device = in.readText();
    SharedJob victim = readJob(in);
    SharedJob[] aggressors = new SharedJob[in.readCount(LEAST_JOB_BYTES)];
    for (int i = 0; i < aggressors.length; i++) {
      aggressors[i] = readJob(in);
    }
    Sharing sharing = new Sharing(device, victim, Arrays.asList(aggressors));
    return new Measured(sharing, in.readFinite(), in.readFinite(), 0, 0);
  }

  private static SharedJob readJob(PayloadReader in) {
    return new SharedJob(in.readText(), in.readText(), in.readFinite(), in.readFinite());
  }
}
