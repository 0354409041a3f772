package dev.cotenant.datasets.steptime;

import dev.cotenant.datasets.file.DataRow;
import dev.cotenant.datasets.file.UnusableRowException;
import dev.cotenant.domain.device.DevicePart;
import dev.cotenant.domain.graph.StepWork;
import dev.cotenant.domain.profile.StepTimeRun;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Reads NeuSight's sums of operator times: one transformer layer with embeddings and head in fp32,
 * each operator timed alone. A token counts as a sample.
 *
 * @param path the CSV file
 */
public record NeuSightSource(Path path) implements StepTimeSource {
  static final String FORMAT = "neusight";
  private static final List<String> COLUMNS =
      List.of("device", "model", "mode", "seq", "batch", "ops", "sum_op_ms");
  private static final int MAX_TOKENS = 1 << 20;

  /** Elements that a feed-forward feature moves: one activation kernel, or GPT-2's seven. */
  private static final int FUSED_ACTIVATION = 5;

  private static final int COMPOSED_ACTIVATION = 18;
  private static final int GPT_WORDS = 50_257;
  private static final int OPT_WORDS = 50_272;
  private static final int BERT_WORDS = 30_522;

  /** The layers of published networks. */
  private static final Map<String, Layer> LAYERS =
      Map.of(
          "bert_base", new Layer(768, 12, 3072, BERT_WORDS, FUSED_ACTIVATION),
          "bert_large", new Layer(1024, 16, 4096, BERT_WORDS, FUSED_ACTIVATION),
          "gpt2", new Layer(768, 12, 3072, GPT_WORDS, COMPOSED_ACTIVATION),
          "gpt2_medium", new Layer(1024, 16, 4096, GPT_WORDS, COMPOSED_ACTIVATION),
          "gpt2_large", new Layer(1280, 20, 5120, GPT_WORDS, COMPOSED_ACTIVATION),
          "gpt2_xl", new Layer(1600, 25, 6400, GPT_WORDS, COMPOSED_ACTIVATION),
          "gpt3_xl", new Layer(3072, 24, 12288, GPT_WORDS, COMPOSED_ACTIVATION),
          "gpt3_27", new Layer(2560, 32, 10240, GPT_WORDS, COMPOSED_ACTIVATION),
          "opt_13", new Layer(2048, 32, 8192, OPT_WORDS, FUSED_ACTIVATION),
          "opt_27", new Layer(2560, 32, 10240, OPT_WORDS, FUSED_ACTIVATION));

  /**
   * One transformer layer.
   *
   * @param features of a token
   * @param heads of attention
   * @param inner features of the feed-forward part
   * @param words of the vocabulary
   * @param activation elements that an inner feature moves
   */
  private record Layer(int features, int heads, int inner, int words, int activation) {
    /** Matrices and tensors outside of attention and the feed-forward part [steptime study]. */
    private static final double MOVED_PER_FEATURE = 24;

    private static final double MOVED_PER_SCORE = 8;
    private static final double MOVED_PER_WORD = 2;
    private static final double PROJECTIONS = 4;

    StepWork work(int tokens, int samples, boolean hasHead, int operators) {
      double head = hasHead ? words : 0;
      double weights = PROJECTIONS * features * features + 2.0 * features * inner + features * head;
      double moved =
          MOVED_PER_FEATURE * features
              + MOVED_PER_SCORE * heads * tokens
              + (double) inner * activation
              + MOVED_PER_WORD * head;
      return new StepWork(
          tokens * samples,
          weights + 2.0 * tokens * features,
          0,
          (PROJECTIONS + 1) * features + inner + head,
          moved,
          weights,
          operators,
          0,
          0);
    }
  }

  @Override
  public Result read() {
    return Result.ofTable(FORMAT, path, COLUMNS, NeuSightSource::run);
  }

  private static StepTimeRun run(DataRow row) {
    String model = row.text("model");
    Layer layer = LAYERS.get(model);
    if (layer == null) {
      throw new UnusableRowException("model '" + model + "': its layer is not known");
    }
    if (row.has("variant")) {
      throw row.bad("variant", "empty: variants are not described");
    }
    boolean trains = row.oneOf("mode", List.of("inf", "train")).equals("train");
    int tokens = (int) row.integer("seq", 1, MAX_TOKENS);
    int samples = (int) row.integer("batch", 1, Integer.MAX_VALUE / tokens);
    boolean hasHead = trains || !model.startsWith("bert");
    int operators = (int) row.integer("ops", 1, 1_000_000);
    return new StepTimeRun(
        row.place(),
        new StepTimeRun.Network(model, model, tokens),
        FORMAT,
        DevicePart.whole(NamedDevices.require("device", row.text("device"))),
        1,
        RunSettings.of(trains ? ExecutionMode.TRAINING : ExecutionMode.INFERENCE, Precision.FP32),
        layer.work(tokens, samples, hasHead, operators),
        row.positive("sum_op_ms") / 1e3);
  }
}
