package dev.cotenant.admission.review;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.Bench;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonChangesTest {
  @Test
  void aCopyMayShareWhatItDoesNotChange() {
    ObjectNode before = (ObjectNode) Bench.json("{'a':{'b':[{'c':1},{'d':2}]},'e':{'f':3}}");
    ObjectNode after = before.objectNode();
    after.setAll(before);
    after.set("e", before.objectNode().put("f", 4));

    assertThat(Bench.json(JsonChanges.between(before, after).toBytes()))
        .isEqualTo(Bench.json("[{'op':'add','path':'/e/f','value':4}]"));
    assertThat(JsonChanges.between(before, before).isEmpty()).isTrue();
  }

  /** What stands in an array before another element is replaced with it: adding would insert. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          {'a':['x','y']}       | {'a':['x','z']}       | [{'op':'add','path':'/a','value':['x','z']}]
          {'a':['x']}           | {'a':['x','y']}       | [{'op':'add','path':'/a/-','value':'y'}]
          {'a':['x','y']}       | {'a':['x']}           | [{'op':'add','path':'/a','value':['x']}]
          {'a':[{'b':1},{}]}    | {'a':[{'b':2},{}]}    | [{'op':'add','path':'/a/0/b','value':2}]
          {'a':[{'b':['x']}]}   | {'a':[{'b':['y']}]}   | [{'op':'add','path':'/a/0/b','value':['y']}]
          {'a':[['x']]}         | {'a':[['y']]}         | [{'op':'add','path':'/a','value':[['y']]}]
          {'a':[]}              | {'a':[]}              | []
          {'a':1,'b/c':1}       | {'a':1}               | [{'op':'remove','path':'/b~1c'}]
          """)
  void turnsOneDocumentIntoAnother(String before, String after, String patch) {
    JsonPatch changes = JsonChanges.between(Bench.json(before), Bench.json(after));

    assertThat(Bench.json(changes.toBytes())).isEqualTo(Bench.json(patch));
  }
}
