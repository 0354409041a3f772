package dev.cotenant.features;

import dev.cotenant.domain.testing.Fuzzer;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Coverage-guided; see {@link Fuzzer}. */
class CoverageGuidedFuzzTest {
  @Test
  void letsNothingButInputExceptionsOutOfTheReader() throws Exception {
    FuzzCorpus.writeModels(Fuzzer.corpus(ReaderFuzzTarget.class));
    fuzz(ReaderFuzzTarget.class);
  }

  @Test
  void letsNothingOutOfInferenceOnAnyBytes() throws Exception {
    FuzzCorpus.writeDrawnModels(Fuzzer.corpus(ExtractionFuzzTarget.class));
    fuzz(ExtractionFuzzTarget.class);
  }

  @Test
  void letsNothingOutOfInferenceOnAnyGraph() throws Exception {
    FuzzCorpus.writeChoices(Fuzzer.corpus(GeneratedGraphFuzzTarget.class));
    fuzz(GeneratedGraphFuzzTarget.class);
  }

  /** The targets themselves hold processor time against the limit; a hang is far longer. */
  private static void fuzz(Class<?> target) throws Exception {
    Fuzzer.run(target, Map.of(), FuzzCorpus.MAX_BYTES, SafetyCheck.LIMIT.multipliedBy(10));
  }
}
