package dev.cotenant.features;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.graph.GraphFeatures;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class FuzzTest {
  private static final int MUTANTS = 4000;
  private static final OnnxGraphReader READER = new OnnxGraphReader(ReaderLimits.DEFAULT);
  private static final FeatureExtractor EXTRACTOR = new FeatureExtractor();

  /** A model with something of every family. */
  private static byte[] seed() {
    return OnnxBytes.model(graph ->
        graph
            .input("x", "batch", 3, 32, 32)
            .weight("w", 8, 3, 3, 3)
            .weight("t", 16, 8, 2, 2)
            .weight("f", 2048, 10)
            .weight("lw", 1, 40, 8)
            .weight("lr", 1, 40, 10)
            .numbers("one", 1)
            .numbers("zero", 0)
            .numbers("rest", -1)
            .numbers("trips", 3)
            .numbers("pads", 0, 0, 1, 1, 0, 0, 1, 1)
            .node("Conv x,w -> c", n -> n.attribute("pads", new long[] {1, 1, 1, 1}))
            .node("Relu c -> r")
            .node("MaxPool r -> m", FuzzTest::window)
            .node("Pad m,pads -> p")
            .node("Slice p,one,rest,rest,one -> s")
            .node("ConvTranspose m,t -> ct", FuzzTest::window)
            .node("Shape m -> sh")
            .node("Gather sh,zero -> b")
            .node("Concat b,rest -> target", n -> n.attribute("axis", 0))
            .node("Reshape m,target -> flat")
            .node("Gemm flat,f -> y")
            .node("Split y -> y1,y2", n -> n.attribute("axis", 1))
            .node("Unsqueeze y,zero -> seq")
            .node("Einsum y,f -> e", n -> n.attribute("equation", "bk,jk->bj"))
            .node("Transpose e -> et", n -> n.attribute("perm", new long[] {1, 0}))
            .node("LSTM seq,lr,lr -> l", n -> n.attribute("hidden_size", 10))
            .node("Range zero,trips,one -> range")
            .node("ConstantOfShape target -> filled")
            .node("Expand y,sh -> wide")
            .node("Tile y,pads -> tiled")
            .node("ReduceMean y -> mean", n -> n.attribute("axes", new long[] {1}))
            .node("Resize m,,f -> up")
            .node("TopK y,one -> top,where")
            .node("Loop trips,,y -> ly", n -> n.graphAttribute("body", FuzzTest::body))
            .node("If zero -> i", n -> n.graphAttribute("then_branch", FuzzTest::body))
            .output("y"));
  }

  private static void window(OnnxBytes node) {
    node.attribute("kernel_shape", new long[] {2, 2}).attribute("strides", new long[] {2, 2});
  }

  private static void body(OnnxBytes graph) {
    graph
        .input("it")
        .input("go")
        .input("v", 1, 10)
        .node("Identity go -> go2")
        .node("Mul v,v -> v2")
        .output("go2")
        .output("v2");
  }

  @Test
  void letsNothingButInputExceptionsOutOfMutatedModels() {
    Random random = new Random(20_260_101);
    byte[] seed = seed();
    int read = 0;
    for (int i = 0; i < MUTANTS; i++) {
      read += survives(mutated(seed, random)) ? 1 : 0;
    }
    assertThat(read).isGreaterThan(MUTANTS / 10);
  }

  private static boolean survives(byte[] content) {
    try {
      ModelGraph graph = READER.read(content, "mutant");
      GraphFeatures features = EXTRACTOR.extract(graph, new GraphBinding(7, Map.of()));
      assertThat(features.shapeCoverage()).isBetween(0.0, 1.0);
      return true;
    } catch (InputException expected) {
      assertThat(expected.getMessage()).startsWith("mutant");
      return false;
    }
  }

  private static byte[] mutated(byte[] seed, Random random) {
    byte[] copy = seed.clone();
    int changes = 1 + random.nextInt(3);
    for (int i = 0; i < changes; i++) {
      Consumer<byte[]> change =
          switch (random.nextInt(3)) {
            case 0 -> bytes -> bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            case 1 ->
                bytes -> bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            default -> bytes -> bytes[random.nextInt(bytes.length)] = (byte) 0xff;
          };
      change.accept(copy);
    }
    return random.nextInt(20) == 0 ? Arrays.copyOf(copy, random.nextInt(copy.length)) : copy;
  }

  @Test
  void letsNothingButInputExceptionsOutOfNoise() {
    Random random = new Random(7);
    for (int i = 0; i < 1000; i++) {
      byte[] noise = new byte[1 + random.nextInt(200)];
      random.nextBytes(noise);
      survives(noise);
    }
  }
}
