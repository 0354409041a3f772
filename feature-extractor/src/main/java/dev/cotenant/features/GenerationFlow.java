package dev.cotenant.features;

import dev.cotenant.features.ControlFlow.Body;
import dev.cotenant.features.ControlFlow.Outcome;
import dev.cotenant.features.graph.ElementType;
import dev.cotenant.features.graph.Graph;
import dev.cotenant.features.graph.Node;
import dev.cotenant.features.inference.Amount;
import dev.cotenant.features.inference.KnownNumbers;
import dev.cotenant.features.inference.NodeView;
import dev.cotenant.features.inference.Shape;
import dev.cotenant.features.inference.TensorFact;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The searches of text generation [ONNX Runtime, BeamSearch]: an encoder once, and a decoder for
 * every token of every beam up to the longest text. Their graphs see nothing of the one around them
 * and say themselves which shapes they take; lengths of caches that are symbolic there are not
 * known unless they are given.
 */
final class GenerationFlow {
  private static final String BEAM = "com.microsoft:BeamSearch";
  private static final String WHISPER_BEAM = "com.microsoft:WhisperBeamSearch";

  static final Set<String> OPERATORS =
      Set.of(BEAM, WHISPER_BEAM, "com.microsoft:GreedySearch", "com.microsoft:Sampling");

  private final Extraction extraction;
  private final ControlFlow control;

  GenerationFlow(Extraction extraction, ControlFlow control) {
    this.extraction = extraction;
    this.control = control;
  }

  Outcome run(Node node, NodeView view) {
    Tally all = new Tally();
    for (String once : List.of("encoder", "init_decoder")) {
      Graph graph = ControlFlow.graph(node, once);
      if (graph != null) {
        all.addNested(walk(graph).tally(), Amount.ONE);
      }
    }
    Graph decoder = ControlFlow.graph(node, "decoder");
    if (decoder == null) {
      extraction.warnings().add(node.label() + " lacks a decoder");
      all.addUnknownMatrixNode();
    } else {
      long beams = hasBeams(node) ? Math.max(1, number(view, 3, 1)) : 1;
      Amount tokens = control.trips(node, tokens(node, view));
      all.addNested(walk(decoder).tally(), tokens.times(beams));
    }
    return new Outcome(all, Amount.ONE, outputs(node, view));
  }

  private Body walk(Graph graph) {
    List<TensorFact> declared = graph.inputs().stream().map(extraction.inputs()::declared).toList();
    return control.walk(graph, declared);
  }

  private static boolean hasBeams(Node node) {
    String key = node.key();
    return key.equals(BEAM) || key.equals(WHISPER_BEAM);
  }

  private static long number(NodeView view, int input, long fallback) {
    KnownNumbers number = view.single(input);
    return number == null ? fallback : number.integer(0);
  }

  /** From the end of the prompt, or of its first token behind an encoder, to the longest text. */
  private static @Nullable Shape tokens(Node node, NodeView view) {
    long longest = number(view, 1, Shape.UNKNOWN);
    boolean encodes = ControlFlow.graph(node, "encoder") != null;
    Shape prompt = view.shape(0);
    long before = encodes ? 1 : prompt == null || prompt.rank() < 2 ? -1 : prompt.extent(1);
    return longest < 0 || before < 0 ? null : Shape.of(Math.max(0, longest - before));
  }

  /** (batch, texts a sample, longest text); without beams there is one text and no axis for it. */
  private static List<TensorFact> outputs(Node node, NodeView view) {
    Shape prompt = view.shape(0);
    if (prompt == null || prompt.rank() == 0) {
      return List.of();
    }
    Shape scores = prompt.only(0);
    if (hasBeams(node)) {
      scores = scores.append(Math.max(Shape.UNKNOWN, number(view, 4, Shape.UNKNOWN)));
    }
    Shape texts = scores.append(Math.max(Shape.UNKNOWN, number(view, 1, Shape.UNKNOWN)));
    TensorFact sequences = TensorFact.of(ElementType.INT32, texts);
    return hasBeams(node)
        ? List.of(sequences, TensorFact.of(ElementType.FLOAT, scores))
        : List.of(sequences);
  }
}
