package dev.cotenant.features;

import dev.cotenant.domain.InputException;
import dev.cotenant.features.graph.Graph;
import dev.cotenant.features.graph.LocalFunction;
import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.wire.WireInput;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Reads the graph of an ONNX model and leaves its weights where they are.
 *
 * <p>The protobuf wire format is read as a stream [onnx.proto, Protocol Buffers Encoding]: weights
 * are skipped, so a file of any size costs what its graph costs, and external data is never opened.
 * Whatever the content, the only exception is {@link InputException}, with the codes {@code
 * missing-file}, {@code not-a-file}, {@code unreadable-file}, {@code empty-file}, {@code not-onnx},
 * {@code truncated}, {@code damaged} and, for what is over a limit, {@code too-large}, {@code
 * too-many-nodes}, {@code too-many-entries}, {@code too-deep} and {@code string-too-long}.
 *
 * <p>Immutable and thread safe.
 */
public final class OnnxGraphReader {
  private static final int GRAPH_FIELD = 7;
  private static final int MAX_DOMAIN_BYTES = 1 << 10;
  private final ReaderLimits limits;

  public OnnxGraphReader(ReaderLimits limits) {
    this.limits = Objects.requireNonNull(limits, "limits");
  }

  /** Reads a file; its weights are neither loaded nor, where they lie outside, looked for. */
  public ModelGraph read(Path file) {
    String name = file.toString();
    if (Files.exists(file) && !Files.isRegularFile(file)) {
      throw InputException.malformed("not-a-file", name + ": not a file; name an ONNX model");
    }
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      long size = channel.size();
      requireSize(name, size, limits.fileBytes());
      return parse(WireInput.of(channel, size, name));
    } catch (NoSuchFileException e) {
      throw new InputException(
          InputException.Kind.NOT_FOUND, "missing-file", name + ": no such file", e);
    } catch (IOException e) {
      throw new InputException(
          InputException.Kind.MALFORMED, "unreadable-file", name + ": cannot be read", e);
    }
  }

  /**
   * Reads an upload.
   *
   * @param content the bytes of the model, not to be changed meanwhile
   * @param name what messages call it
   */
  public ModelGraph read(byte[] content, String name) {
    requireSize(name, content.length, limits.uploadBytes());
    return parse(WireInput.of(content, name));
  }

  private static void requireSize(String name, long size, long limit) {
    if (size == 0) {
      throw InputException.malformed("empty-file", name + ": is empty; export the model again");
    }
    if (size > limit) {
      throw InputException.tooLarge(
          "too-large", name + ": " + size + " bytes are over the limit of " + limit);
    }
  }

  private ModelGraph parse(WireInput in) {
    GraphParser parser = new GraphParser(in, new ParseBudget(in.name(), limits));
    Map<String, LocalFunction> functions = new HashMap<>();
    Graph graph = null;
    boolean first = true;
    long opset = NodeView.NEWEST_OPSET;
    while (in.nextField(in.size())) {
      switch (in.field()) {
        case 1 -> recogniseIf(in, first, in.integer());
        case GRAPH_FIELD -> graph = parser.graph(in.enter(in.size()), 1);
        case 8 -> opset = opset(in, opset);
        case 25 -> {
          LocalFunction function = parser.function(in.enter(in.size()));
          functions.putIfAbsent(function.key(), function);
        }
        default -> in.skip(in.size());
      }
      first = false;
    }
    if (graph == null) {
      throw InputException.malformed(
          "not-onnx", in.name() + ": holds no model graph; name an ONNX model");
    }
    return new ModelGraph(graph, functions, List.copyOf(parser.externalLocations()), opset);
  }

  /** The version of {@code ai.onnx}, which goes by two names, if this imports it. */
  private static long opset(WireInput in, long before) {
    long end = in.enter(in.size());
    String domain = "";
    long version = before;
    while (in.nextField(end)) {
      switch (in.field()) {
        case 1 -> domain = in.text(end, MAX_DOMAIN_BYTES);
        case 2 -> version = in.integer();
        default -> in.skip(end);
      }
    }
    return domain.isEmpty() || domain.equals("ai.onnx") ? version : before;
  }

  /** A model starts with the version of its format, a small number. */
  private static void recogniseIf(WireInput in, boolean first, long version) {
    if (first && version > 0 && version < 1000) {
      in.markRecognised();
    }
  }
}
