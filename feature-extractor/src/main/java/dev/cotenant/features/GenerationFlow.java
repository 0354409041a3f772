package dev.cotenant.features;

import dev.cotenant.features.ControlFlow.Run;
import dev.cotenant.features.graph.ElementType;
import dev.cotenant.features.graph.Graph;
import dev.cotenant.features.graph.ValueDeclaration;
import dev.cotenant.features.inference.KnownNumbers;
import dev.cotenant.features.inference.Saturating;
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

  List<TensorFact> run(Run run) {
    for (String once : List.of("encoder", "init_decoder")) {
      Graph graph = ControlFlow.graph(run.node(), once);
      if (graph != null) {
        add(run, graph, 1);
      }
    }
    Graph decoder = ControlFlow.graph(run.node(), "decoder");
    if (decoder == null) {
      extraction.warnings().add(run.node().label() + " lacks a decoder");
    } else {
      long beams = hasBeams(run) ? number(run, 3, 1) : 1;
      long tokens = control.trips(run.node(), tokens(run));
      add(run, decoder, Saturating.multiply(Math.max(1, beams), tokens));
    }
    return outputs(run);
  }

  private void add(Run run, Graph graph, long times) {
    Scope inner = control.inner();
    for (ValueDeclaration input : graph.inputs()) {
      inner.put(input.name(), extraction.inputs().declared(input));
    }
    ControlFlow.add(control.walk(graph, inner), times, run.tally(), run.alive());
  }

  private static boolean hasBeams(Run run) {
    String key = run.node().key();
    return key.equals(BEAM) || key.equals(WHISPER_BEAM);
  }

  private static long number(Run run, int input, long fallback) {
    KnownNumbers number = run.view().single(input);
    return number == null ? fallback : number.integer(0);
  }

  /** From the end of the prompt, or of its first token behind an encoder, to the longest text. */
  private static @Nullable Shape tokens(Run run) {
    long longest = number(run, 1, Shape.UNKNOWN);
    boolean encodes = ControlFlow.graph(run.node(), "encoder") != null;
    Shape prompt = run.view().shape(0);
    long before = encodes ? 1 : prompt == null || prompt.rank() < 2 ? -1 : prompt.extent(1);
    return longest < 0 || before < 0 ? null : Shape.of(Math.max(0, longest - before));
  }

  /** (batch, texts a sample, longest text); without beams there is one text and no axis for it. */
  private static List<TensorFact> outputs(Run run) {
    Shape prompt = run.view().shape(0);
    if (prompt == null || prompt.rank() == 0) {
      return List.of();
    }
    Shape.Builder texts = new Shape.Builder(3).addAll(prompt, 0, 1);
    if (hasBeams(run)) {
      texts.add(Math.max(Shape.UNKNOWN, number(run, 4, Shape.UNKNOWN)), false);
    }
    Shape scores = texts.build();
    texts.add(Math.max(Shape.UNKNOWN, number(run, 1, Shape.UNKNOWN)), false);
    TensorFact sequences = TensorFact.of(ElementType.INT32, texts.build());
    return hasBeams(run)
        ? List.of(sequences, TensorFact.of(ElementType.FLOAT, scores))
        : List.of(sequences);
  }
}
