package dev.cotenant.benchmarks;

import dev.cotenant.features.wire.WireInput;
import dev.cotenant.zoo.onnx.ProtobufWriter;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A model with its weights inside the file. Graphs of the zoo and exported stubs declare float
 * weights whose elements would lie in another file; here they follow as {@code raw_data}, all zero
 * and, where the file system can, as a hole that takes no disk space.
 */
final class FilledWeights {
  private static final int GRAPH = 7;
  private static final int INITIALIZER = 5;
  private static final int EXTENT = 1;
  private static final int RAW_DATA = 9;
  private static final int EXTERNAL_ENTRY = 13;
  private static final int DATA_LOCATION = 14;

  /** Bytes, and how many zeros follow them. */
  private record Part(ProtobufWriter content, long zeros) {
    long length() {
      return content.size() + zeros;
    }
  }

  private FilledWeights() {}

  static void write(byte[] model, Path file) throws IOException {
    List<Part> parts = new ArrayList<>();
    WireInput in = WireInput.of(model, "model");
    long end = model.length;
    int start = 0;
    while (in.nextField(end)) {
      if (in.field() == GRAPH) {
        List<Part> graph = graph(in.bytes(end, model.length));
        long length = graph.stream().mapToLong(Part::length).sum();
        parts.add(new Part(new ProtobufWriter().begin(GRAPH, length), 0));
        parts.addAll(graph);
      } else {
        in.skip(end);
        parts.add(copy(model, start, in.position()));
      }
      start = (int) in.position();
    }
    write(parts, file);
  }

  private static void write(List<Part> parts, Path file) throws IOException {
    try (RandomAccessFile out = new RandomAccessFile(file.toFile(), "rw")) {
      for (Part part : parts) {
        out.write(part.content.toByteArray());
        out.seek(out.getFilePointer() + part.zeros);
      }
      out.setLength(out.getFilePointer());
    }
  }

  private static Part copy(byte[] model, int from, long to) {
    return new Part(new ProtobufWriter().raw(Arrays.copyOfRange(model, from, (int) to)), 0);
  }

  private static List<Part> graph(byte[] graph) {
    List<Part> parts = new ArrayList<>();
    WireInput in = WireInput.of(graph, "graph");
    int start = 0;
    while (in.nextField(graph.length)) {
      if (in.field() == INITIALIZER) {
        parts.addAll(initializer(in.bytes(graph.length, graph.length)));
      } else {
        in.skip(graph.length);
        parts.add(copy(graph, start, in.position()));
      }
      start = (int) in.position();
    }
    return parts;
  }

  private static List<Part> initializer(byte[] tensor) {
    WireInput in = WireInput.of(tensor, "tensor");
    ProtobufWriter retained = new ProtobufWriter();
    long[] bytes = {Float.BYTES};
    boolean isExternal = false;
    int start = 0;
    while (in.nextField(tensor.length)) {
      int field = in.field();
      if (field == EXTENT) {
        in.integers(tensor.length, extent -> bytes[0] *= extent);
      } else {
        in.skip(tensor.length);
      }
      isExternal |= field == DATA_LOCATION;
      if (field != EXTERNAL_ENTRY && field != DATA_LOCATION) {
        retained.raw(Arrays.copyOfRange(tensor, start, (int) in.position()));
      }
      start = (int) in.position();
    }
    long zeros = isExternal ? bytes[0] : 0;
    if (isExternal) {
      retained.begin(RAW_DATA, zeros);
    }
    ProtobufWriter head = new ProtobufWriter().begin(INITIALIZER, retained.size() + zeros);
    return List.of(new Part(head, 0), new Part(retained, zeros));
  }
}
