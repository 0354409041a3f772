package dev.cotenant.forecast.prometheus;

import dev.cotenant.domain.testing.Fuzzer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Coverage-guided; see {@link Fuzzer}. */
class ResponseFuzzTest {
  private static final String MATRIX =
      "{'status':'success','warnings':['w'],'data':{'resultType':'matrix','result':[{'metric':"
          + "{'UUID':'GPU-1','pod':'p'},'values':[[1,'2'],[2.5,'NaN'],[3,'1e9']],"
          + "'histograms':[]}]}}";
  private static final String VECTOR =
      "{'status':'success','data':{'resultType':'vector','result':[{'metric':{'gpu':'0'},"
          + "'value':[1,'+Inf']}]}}";
  private static final String ERROR = "{'status':'error','errorType':'x','error':'no'}";

  @Test
  void letsNothingButIoExceptionsOutOfAnswers() throws Exception {
    Fuzzer.run(
        ResponseFuzzTarget.class,
        Map.of("matrix", json(MATRIX), "vector", json(VECTOR), "error", json(ERROR)),
        1 << 13,
        Duration.ofSeconds(60));
  }

  private static byte[] json(String text) {
    return text.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
  }
}
