package dev.cotenant.llm.source;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.text.PlainText;
import dev.cotenant.llm.model.Attention;
import dev.cotenant.llm.model.FeedForward;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.model.LanguageModel.Positions;
import dev.cotenant.llm.model.Layers;
import dev.cotenant.llm.model.Quantization;
import dev.cotenant.llm.model.StoredWeights;
import dev.cotenant.llm.source.Architecture.Trait;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads metadata and tensor list of a GGUF file; the weights after them are not touched. */
final class GgufReader {
  private GgufReader() {}

  /**
   * The model of a file.
   *
   * @throws InputException ({@code bad-gguf}, {@code header-too-large}, {@code model-unreadable})
   */
  static LanguageModel read(Path file, SourceLimits limits) {
    return model(header(file, limits), ModelFiles.name(file));
  }

  /** The header of a file, with the errors of {@link #read(Path, SourceLimits)}. */
  static GgufHeader header(Path file, SourceLimits limits) {
    String name = ModelFiles.name(file);
    try (InputStream in = new BufferedInputStream(ModelFiles.open(file), 1 << 16)) {
      return GgufHeader.read(new GgufInput(in, Files.size(file), name, limits));
    } catch (IOException e) {
      throw ModelFiles.unreadable(file, e);
    }
  }

  /**
   * The model that a stream begins with.
   *
   * @param size of the whole file in bytes
   */
  static LanguageModel read(InputStream in, long size, String name, SourceLimits limits)
      throws IOException {
    return model(GgufHeader.read(new GgufInput(in, size, name, limits)), name);
  }

  /**
   * The model of a header.
   *
   * @throws InputException ({@code bad-gguf})
   */
  static LanguageModel model(GgufHeader header, String name) {
    return new Model(name, header).build();
  }

  /** The shape keys of one architecture. */
  private record Model(String name, GgufHeader header) {
    LanguageModel build() {
      StoredWeights stored = header.stored();
      String type = text("general.architecture");
      int hidden = whole(type + ".embedding_length", SourceLimits.MAX_WIDTH);
      int count = whole(type + ".block_count", SourceLimits.MAX_LAYERS);
      int heads = whole(type + ".attention.head_count", SourceLimits.MAX_WIDTH);
      long longest = atLeastOne(type + ".context_length", SourceLimits.MAX_POSITIONS, 2048);
      Attention attention = attention(type, hidden, heads);
      int rotary = attention instanceof Attention.Grouped grouped ? grouped.headDim() : 64;
      double bytesPerWeight =
          stored.parameters() == 0 ? 2 : (double) stored.bytes() / stored.parameters();
      return new LanguageModel(
          name,
          PlainText.of(Architecture.named(type)),
          hidden,
          layers(type, count, longest),
          attention,
          feedForward(type, hidden, count),
          new Positions(longest, longest, rotary, true),
          vocabulary(type),
          !header.hasHead(),
          0,
          2,
          Quantization.gguf(bytesPerWeight),
          stored,
          null,
          warnings(type));
    }

    private List<String> warnings(String type) {
      List<String> warnings = new ArrayList<>();
      if (!Architecture.of(type).known()) {
        warnings.add(Architecture.unknown(type));
      }
      long files = orElse("split.count", SourceLimits.MAX_LAYERS, 1);
      if (files > 1) {
        warnings.add("it is one of " + files + " files: weights are counted from its dimensions");
      }
      return warnings;
    }

    private Attention attention(String type, int hidden, int heads) {
      String prefix = type + ".attention.";
      if (header.values().containsKey(prefix + "kv_lora_rank")) {
        int rotary = (int) atLeastOne(type + ".rope.dimension_count", SourceLimits.MAX_WIDTH, 64);
        int key = (int) atLeastOne(prefix + "key_length", SourceLimits.MAX_WIDTH, 192);
        return new Attention.Latent(
            heads,
            whole(prefix + "kv_lora_rank", SourceLimits.MAX_WIDTH),
            (int) orElse(prefix + "q_lora_rank", SourceLimits.MAX_WIDTH, 0),
            Math.max(0, key - rotary),
            rotary,
            (int) atLeastOne(prefix + "value_length", SourceLimits.MAX_WIDTH, 128));
      }
      int kvHeads = (int) orElse(prefix + "head_count_kv", SourceLimits.MAX_WIDTH, heads);
      int headDim =
          (int)
              atLeastOne(
                  prefix + "key_length", SourceLimits.MAX_WIDTH, Math.max(1, hidden / heads));
      boolean bias = Architecture.of(type).is(Trait.BIASED);
      return new Attention.Grouped(heads, Math.clamp(kvHeads, 1, heads), headDim, bias);
    }

    private Layers layers(String type, int count, long longest) {
      long window = orElse(type + ".attention.sliding_window", SourceLimits.MAX_POSITIONS, 0);
      if (window == 0 || window >= longest) {
        return new Layers(count, 0, 0, 0);
      }
      String key = type + ".attention.sliding_window_pattern";
      int stated = (int) orElse(key, SourceLimits.MAX_LAYERS, 0);
      int pattern = stated == 0 ? Architecture.of(type).windowPattern() : stated;
      int full =
          header.arrays().containsKey(key)
              ? Math.max(0, count - stated) // a truth for each layer
              : pattern == 0 ? 0 : count / pattern;
      return new Layers(full, count - full, 0, (int) Math.min(Integer.MAX_VALUE, window));
    }

    private FeedForward feedForward(String type, int hidden, int count) {
      int width =
          (int) atLeastOne(type + ".feed_forward_length", SourceLimits.MAX_WIDTH, 4L * hidden);
      int experts = (int) orElse(type + ".expert_count", SourceLimits.MAX_EXPERTS, 0);
      boolean gated = !Architecture.of(type).is(Trait.PLAIN);
      return new FeedForward(
          width, gated, experts < 2 ? null : mixture(type, experts, width, count));
    }

    private FeedForward.Experts mixture(String type, int experts, int width, int count) {
      int each =
          (int) atLeastOne(type + ".expert_feed_forward_length", SourceLimits.MAX_WIDTH, width);
      long shared = orElse(type + ".expert_shared_count", 64, 0) * each;
      return new FeedForward.Experts(
          experts,
          (int) orElse(type + ".expert_used_count", experts, 1),
          each,
          (int)
              orElse(
                  type + ".expert_shared_feed_forward_length",
                  SourceLimits.MAX_WIDTH,
                  Math.min(shared, SourceLimits.MAX_WIDTH)),
          count - (int) orElse(type + ".leading_dense_block_count", count, 0));
    }

    private int vocabulary(String type) {
      Long tokens = header.arrays().get("tokenizer.ggml.tokens");
      long size = tokens == null ? orElse(type + ".vocab_size", SourceLimits.MAX_WIDTH, 0) : tokens;
      if (size < 1 || size > SourceLimits.MAX_WIDTH) {
        throw GgufInput.bad(name, "its vocabulary has " + size + " tokens");
      }
      return (int) size;
    }

    private String text(String key) {
      if (header.values().get(key) instanceof String text && text.matches("[a-z0-9_.-]{1,64}")) {
        return text;
      }
      throw GgufInput.bad(name, "it lacks " + key);
    }

    private int whole(String key, int most) {
      long value = orElse(key, most, 0);
      if (value < 1) {
        throw GgufInput.bad(name, "it lacks " + PlainText.of(key));
      }
      return (int) value;
    }

    /** Of what is divided by. */
    private long atLeastOne(String key, long most, long otherwise) {
      long value = orElse(key, most, otherwise);
      if (value < 1) {
        throw GgufInput.bad(name, PlainText.of(key) + " is 0");
      }
      return value;
    }

    private long orElse(String key, long most, long otherwise) {
      @Nullable Object value = header.values().get(key);
      if (value == null) {
        return otherwise;
      }
      if (value instanceof Long number && number >= 0 && number <= most) {
        return number;
      }
      throw GgufInput.bad(
          name,
          PlainText.of(key) + " is " + PlainText.of(String.valueOf(value)) + ", above " + most);
    }
  }
}
