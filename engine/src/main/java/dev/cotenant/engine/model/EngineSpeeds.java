package dev.cotenant.engine.model;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DevicePart;
import dev.cotenant.domain.graph.StepWork;
import dev.cotenant.domain.prediction.EngineSpeed;
import dev.cotenant.domain.prediction.StepTimeEstimate;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.EngineRun;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.llm.MemoryPrediction;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.pod.GenerationArguments;
import dev.cotenant.llm.pod.Value;
import dev.cotenant.llm.pod.VllmArguments;
import dev.cotenant.llm.serving.ServingCard;
import dev.cotenant.llm.serving.VllmSettings;
import dev.cotenant.llm.step.DecoderSteps;
import dev.cotenant.llm.step.TokenLoad;
import dev.cotenant.predictor.steptime.StepTimeBounds;
import dev.cotenant.predictor.steptime.StepTimePredictor;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The steps of a server by the step-time formula of graphs, alone on a device.
 *
 * @param steps times of model steps on one GPU
 * @param mostSequences that the server takes at once
 * @param mostTokens of a batch; longer prompts take several steps
 */
record EngineSpeeds(
    DecoderSteps steps, Device device, Coverage level, int mostSequences, long mostTokens) {
  // A request holds a sequence for its prefill and a decoding step for each token, so that by
  // Little's law N = rate · (prefill + tokens · decode(N)). While any sequence is there, steps
  // follow each other; with Poisson arrivals and no waiting that is the share 1 - exp(-N) of time
  // [M/G/infinity], and never more than N. Decoding steps wait for the prefills of others, which
  // count as device time of their own.

  private static final int ROUNDS = 60;
  private static final StepTimePredictor PREDICTOR = StepTimePredictor.builtIn();

  /**
   * The steps of a server; null where nothing is known of them: of training, of other engines, of
   * pipelines, whose stages wait for each other, and on devices without half precision.
   */
  static @Nullable EngineSpeed of(
      LanguageModel model,
      EngineRun run,
      Device device,
      LanguageModelRuns.ServingRequest request,
      MemoryPrediction memory) {
    Map<String, Value> flags = LanguageModelRuns.flags(run);
    long prompt = tokens(flags, GenerationArguments.PROMPT);
    long generated = tokens(flags, GenerationArguments.GENERATED);
    TokenLoad load =
        new TokenLoad(prompt, generated, request.concurrency(), request.requestsPerSecond());
    Coverage level = Coverage.of(request.level());
    LanguageModel asRun = VllmArguments.modelAsRun(model, flags);
    if (!device.peak().computes(precision(asRun))) {
      return null;
    }
    if (run.kind() == EngineRun.Kind.GENERATION) {
      DecoderSteps eager = new DecoderSteps(asRun, 1, asRun.valueBytes(), true);
      return new EngineSpeeds(eager, device, level, 1, Integer.MAX_VALUE).of(load);
    }
    MemoryPrediction.Serving serving = memory.serving();
    if (run.kind() != EngineRun.Kind.SERVER || serving == null) {
      return null;
    }
    VllmSettings settings = VllmArguments.of(LanguageModelRuns.version(run), flags).settings();
    ServingCard card = LanguageModelRuns.seenOf(request, device);
    if (settings.pipeline() > 1) {
      return null;
    }
    Integer cached = settings.kvValueBytes();
    DecoderSteps steps =
        new DecoderSteps(
            asRun,
            settings.tensor(),
            cached == null ? asRun.valueBytes() : cached,
            settings.eager());
    long held = Math.max(1, serving.tokens() / (prompt + generated));
    int most = (int) Math.min(settings.sequences(card), held);
    return new EngineSpeeds(steps, device, level, most, settings.batchedTokens(asRun, card))
        .of(load);
  }

  private static long tokens(Map<String, Value> flags, String name) {
    Value stated = flags.get(name);
    return stated == null
        ? GenerationArguments.USUAL_TOKENS
        : Math.max(1, Long.parseLong(stated.text()));
  }

  private EngineSpeed of(TokenLoad load) {
    Double rate = load.requestsPerSecond();
    double most = capacity(load);
    double sequences =
        rate == null ? Math.min(load.sequences(), mostSequences) : sequences(load, rate);
    StepTimePredictor.Predicted step = decode(load, sequences);
    StepTimeEstimate prefill = prefill(load);
    StepTimeEstimate decode = assumed(step.estimate());
    return new EngineSpeed(
        new EngineSpeed.Load(load.promptTokens(), load.generatedTokens(), rate),
        prefill,
        decode,
        sequences,
        most,
        rate == null
            ? following(step.parts().busyShare())
            : atRate(rate, most, load, prefill, decode, step.parts().busyShare()));
  }

  /** Requests a second with as many sequences as it takes. */
  private double capacity(TokenLoad load) {
    double decode = decode(load, mostSequences).estimate().meanSeconds();
    return 1 / (prefill(load).meanSeconds() + load.generatedTokens() * decode / mostSequences);
  }

  private double sequences(TokenLoad load, double rate) {
    double prefill = prefill(load).meanSeconds();
    double found = 1;
    for (int i = 0; i < ROUNDS; i++) {
      double decode = decode(load, found).estimate().meanSeconds();
      double next = rate * (prefill + load.generatedTokens() * decode);
      found = Math.min(mostSequences, (found + next) / 2); // damped: steps grow with sequences
    }
    return found;
  }

  private StepTimePredictor.Predicted decode(TokenLoad load, double sequences) {
    int whole = (int) Math.max(1, Math.ceil(sequences));
    return predicted(steps.decode(whole, load.context()));
  }

  /** In as many steps as batches of tokens need. */
  private StepTimeEstimate prefill(TokenLoad load) {
    int batches = (int) Math.ceilDiv(load.promptTokens(), mostTokens);
    int tokens = (int) Math.ceilDiv(load.promptTokens(), batches);
    double mean = 0;
    StepTimeEstimate last = null;
    for (int i = 0; i < Math.min(batches, ROUNDS); i++) {
      double before = (double) i * tokens * batches / Math.min(batches, ROUNDS);
      last = predicted(steps.prefill(tokens, before)).estimate();
      mean += last.meanSeconds() * batches / Math.min(batches, ROUNDS);
    }
    if (last == null) {
      throw new IllegalStateException("a prompt has a token");
    }
    return assumed(last.scaledTo(mean));
  }

  private StepTimePredictor.Predicted predicted(StepWork work) {
    return PREDICTOR
        .predict(
            work,
            RunSettings.of(ExecutionMode.INFERENCE, precision(steps.model())),
            DevicePart.whole(device))
        .at(StepTimeBounds.TOTALS, level);
  }

  private static Precision precision(LanguageModel model) {
    return model.valueBytes() == 4 ? Precision.FP32 : Precision.FP16;
  }

  private static StepTimeEstimate assumed(StepTimeEstimate known) {
    return new StepTimeEstimate(
        known.meanSeconds(), known.lowerSeconds(), known.upperSeconds(), null, null);
  }

  private static UtilizationEstimate following(double busy) {
    return new UtilizationEstimate(percent(busy), Utilization.IDLE, Utilization.FULL, null);
  }

  private UtilizationEstimate atRate(
      double rate,
      double most,
      TokenLoad load,
      StepTimeEstimate prefill,
      StepTimeEstimate decode,
      double busy) {
    if (rate >= most) {
      return following(1);
    }
    long tokens = load.generatedTokens();
    double mean = rate * (prefill.meanSeconds() + tokens * decode.meanSeconds());
    double lower = rate * (prefill.lowerSeconds() + tokens * decode.lowerSeconds());
    double upper = rate * (prefill.upperSeconds() + tokens * decode.upperSeconds());
    return new UtilizationEstimate(
        percent(occupied(mean) * busy),
        percent(occupied(lower) * busy),
        percent(Math.min(1, upper)),
        null);
  }

  private static double occupied(double sequences) {
    return 1 - Math.exp(-sequences);
  }

  private static Utilization percent(double share) {
    return Utilization.ofPercentClipped(100 * share);
  }
}
