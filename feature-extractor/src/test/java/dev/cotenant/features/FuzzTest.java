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

  @Test
  void letsNothingButInputExceptionsOutOfMutatedModels() {
    Random random = new Random(20_260_101);
    byte[] seed = SampleGraphs.everyFamily();
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
