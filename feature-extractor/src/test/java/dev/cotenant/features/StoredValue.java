package dev.cotenant.features;

import dev.cotenant.features.graph.ElementType;
import dev.cotenant.features.graph.StoredTensor;
import dev.cotenant.features.inference.SequenceFact;
import dev.cotenant.features.inference.TensorFact;
import dev.cotenant.features.wire.WireInput;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A tensor, sequence or optional value in a file of its own [onnx-data.proto]. */
final class StoredValue {
  private StoredValue() {}

  enum Kind {
    TENSOR,
    SEQUENCE,
    OPTIONAL
  }

  /** What a model declares its inputs and outputs to be. */
  static Map<String, Kind> kinds(Path model) throws IOException {
    WireInput in = WireInput.of(Files.readAllBytes(model), model.toString());
    Map<String, Kind> kinds = new HashMap<>();
    while (in.nextField(in.size())) {
      if (in.field() == 7) {
        addKinds(in, in.enter(in.size()), kinds);
      } else {
        in.skip(in.size());
      }
    }
    return kinds;
  }

  private static void addKinds(WireInput in, long end, Map<String, Kind> kinds) {
    while (in.nextField(end)) {
      if (in.field() == 11 || in.field() == 12) {
        addKind(in, in.enter(end), kinds);
      } else {
        in.skip(end);
      }
    }
  }

  private static void addKind(WireInput in, long end, Map<String, Kind> kinds) {
    String name = "";
    while (in.nextField(end)) {
      switch (in.field()) {
        case 1 -> name = in.text(end, 1000);
        case 2 -> kinds.put(name, kind(in, in.enter(end)));
        default -> in.skip(end);
      }
    }
  }

  private static Kind kind(WireInput in, long end) {
    Kind kind = Kind.TENSOR;
    while (in.nextField(end)) {
      kind = in.field() == 4 ? Kind.SEQUENCE : in.field() == 9 ? Kind.OPTIONAL : kind;
      in.skip(end);
    }
    return kind;
  }

  /** Null for an optional value that is none. */
  static @Nullable TensorFact of(Path file, Kind kind) throws IOException {
    WireInput in = WireInput.of(Files.readAllBytes(file), file.toString());
    return kind == Kind.TENSOR ? tensor(in, in.size()) : several(in, in.size(), kind);
  }

  private static TensorFact tensor(WireInput in, long end) {
    StoredTensor tensor =
        new TensorParser(in, new ParseBudget(in.name(), ReaderLimits.DEFAULT)).parse(end);
    return TensorFact.of(tensor);
  }

  private static @Nullable TensorFact several(WireInput in, long end, Kind kind) {
    List<TensorFact> elements = new ArrayList<>();
    TensorFact inner = null;
    while (in.nextField(end)) {
      switch (in.field()) {
        case 3 -> elements.add(tensor(in, in.enter(end)));
        case 5 -> inner = several(in, in.enter(end), Kind.SEQUENCE);
        default -> in.skip(end);
      }
    }
    if (kind == Kind.OPTIONAL) {
      return elements.isEmpty() ? inner : elements.getFirst();
    }
    return TensorFact.of(
        elements.isEmpty() ? SequenceFact.empty(ElementType.UNDEFINED) : SequenceFact.of(elements));
  }
}
