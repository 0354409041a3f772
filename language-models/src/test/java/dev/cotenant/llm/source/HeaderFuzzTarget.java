package dev.cotenant.llm.source;

import dev.cotenant.domain.InputException;
import dev.cotenant.llm.MemoryPrediction;
import dev.cotenant.llm.MemoryPredictor;
import dev.cotenant.llm.inference.GenerationSettings;
import dev.cotenant.llm.inference.TransformersVersion;
import dev.cotenant.llm.memory.KvCache;
import dev.cotenant.llm.memory.Weights;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.model.StoredWeights;
import dev.cotenant.llm.serving.ServingCard;
import dev.cotenant.llm.serving.StatedServer;
import dev.cotenant.llm.serving.VllmSettings;
import dev.cotenant.llm.serving.VllmVersion;
import dev.cotenant.llm.step.DecoderSteps;
import dev.cotenant.llm.tuning.TuningMethod;
import dev.cotenant.llm.tuning.TuningPrecision;
import dev.cotenant.llm.tuning.TuningSettings;
import dev.cotenant.llm.tuning.TuningStack;
import dev.cotenant.llm.tuning.TuningStates;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.List;

/** Any bytes as a safetensors header, a GGUF header, a configuration and a description. */
public final class HeaderFuzzTarget {
  /** Processor time that one input may take. */
  private static final long LIMIT_NANOS = 2_000_000_000L;

  private static final String NAME = "upload";
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private static final MemoryPredictor PREDICTOR = new MemoryPredictor(0.9);
  private static final VllmSettings SERVER = VllmSettings.of(VllmVersion.MEASURED);
  private static final ServingCard CARD = new ServingCard("h100-80gb", 79.19 * (1L << 30));
  private static final GenerationSettings GENERATION =
      new GenerationSettings(TransformersVersion.of("4.38"), 4096, 1024, 1);
  private static final StatedServer OTHER = new StatedServer("sglang", 1, null, 0.9, 2, 1);
  private static final TuningSettings JOB =
      new TuningSettings(
          TuningStack.PEFT,
          TuningMethod.LORA,
          "",
          16,
          List.of("all-linear"),
          null,
          4,
          1024,
          1,
          0,
          false,
          List.of(),
          TuningPrecision.HALF,
          TuningStates.ADAM);

  private HeaderFuzzTarget() {}

  /** Called by the fuzzer. */
  public static void fuzzerTestOneInput(byte[] content) {
    check(() -> safetensors(content));
    check(() -> arithmetic(gguf(content)));
    check(
        () -> arithmetic(ConfigReader.read(Json.read(content, NAME, SourceLimits.DEFAULT), NAME)));
    check(() -> arithmetic(ModelDescription.read(content, NAME).model()));
  }

  private static void check(Runnable reading) {
    long start = THREADS.getCurrentThreadCpuTime();
    refusing(reading);
    long taken = THREADS.getCurrentThreadCpuTime() - start;
    require(taken <= LIMIT_NANOS, "took " + taken / 1_000_000 + " ms of processor time");
  }

  private static void refusing(Runnable reading) {
    try {
      reading.run();
    } catch (InputException refusal) {
      String message = refusal.getMessage();
      require(message.contains(NAME), "names no file: " + message);
      require(message.indexOf('\n') < 0 && message.length() < 1000, "not one line: " + message);
    }
  }

  private static void safetensors(byte[] content) {
    try {
      StoredWeights stored =
          SafetensorsHeader.read(
              new ByteArrayInputStream(content), content.length, NAME, SourceLimits.DEFAULT);
      require(stored.bytes() >= 0 && stored.bytes() <= content.length, "bytes " + stored.bytes());
      require(stored.parameters() >= 0, "negative parameters");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static LanguageModel gguf(byte[] content) {
    try {
      return GgufReader.read(
          new ByteArrayInputStream(content), content.length, NAME, SourceLimits.DEFAULT);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void arithmetic(LanguageModel model) {
    double weights = new Weights(model).bytesPerGpu(1, 1);
    double token = new KvCache(model, 1, 1, 2).pooledBytesPerToken();
    require(weights > 0 && Double.isFinite(weights), "weights of " + weights + " bytes");
    require(token >= 0 && Double.isFinite(token), "a token of " + token + " bytes");
    check(() -> predicted(PREDICTOR.serving(model, SERVER, CARD, 3)));
    check(() -> predicted(PREDICTOR.tuning(model, JOB, CARD.name(), List.of())));
    check(() ->
        predicted(PREDICTOR.generation(model, GENERATION, GENERATION, CARD.name(), List.of())));
    check(() -> predicted(PREDICTOR.stated(model, OTHER, CARD, List.of())));
    check(() -> steps(new DecoderSteps(model, 1, 2, true)));
  }

  /** Amounts of steps refuse what is not finite. */
  private static void steps(DecoderSteps steps) {
    require(steps.decode(7, 1_000).parameters() > 0, "a step without weights");
    require(steps.prefill(4_096, 0).macs() > 0, "a prompt without products");
  }

  private static void predicted(MemoryPrediction found) {
    bounded(found.peak());
    found
        .parts()
        .forEach((name, part) -> {
          require(part.amount() >= 0, name + " is " + part.amount());
          MemoryPrediction.PartBounds bounds = part.bounds();
          Long upper = bounds == null ? null : bounds.upper();
          require(upper == null || upper >= part.amount(), name + " is above its bound");
        });
    MemoryPrediction.Serving serving = found.serving();
    if (serving != null) {
      bounded(serving.least());
      require(serving.tokens() >= 0, serving.tokens() + " tokens");
      require(
          serving.sequences() >= 0 && Double.isFinite(serving.sequences()),
          serving.sequences() + " sequences");
    }
  }

  private static void bounded(MemoryPrediction.Bounded amount) {
    require(
        amount.mean() >= 0 && amount.upper() >= amount.mean() && amount.upper() < Long.MAX_VALUE,
        amount + " is no amount");
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(what);
    }
  }
}
