package dev.cotenant.admission.kubernetes.state;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.kubernetes.Bench;
import dev.cotenant.admission.kubernetes.testing.FakeApiServer.Scripted;
import dev.cotenant.admission.state.Documents.Content;
import dev.cotenant.admission.state.Documents.ReadResult;
import dev.cotenant.admission.state.Documents.WriteOutcome;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigMapsTest {
  private static final Content ONE = new Content(7, Map.of("a.b-c_d", "{\"x\": \"é\"}"));

  @TempDir static Path folder;

  private final Bench bench = new Bench(folder);
  private final AtomicBoolean leads = new AtomicBoolean(true);
  private final ConfigMaps maps =
      new ConfigMaps(bench.server, "cotenant-system", leads::get, bench.log::add);

  @AfterEach
  void close() {
    bench.close();
  }

  private String made() {
    return ((WriteOutcome.Done) maps.write("state", null, ONE)).version();
  }

  @Test
  void readsBackWhatItWrote() {
    String version = made();

    assertThat(maps.read("state")).isEqualTo(new ReadResult.Found(version, ONE));
    assertThat(maps.read("other")).isEqualTo(new ReadResult.Missing());
  }

  @Test
  void writesOnlyOntoTheVersionThatWasSeen() {
    String first = made();
    assertThat(maps.write("state", null, ONE)).isEqualTo(new WriteOutcome.Conflict());

    Content two = new Content(8, Map.of());
    assertThat(maps.write("state", first, two)).isInstanceOf(WriteOutcome.Done.class);
    assertThat(maps.write("state", first, ONE)).isEqualTo(new WriteOutcome.Conflict());
    assertThat(maps.read("state"))
        .isInstanceOfSatisfying(
            ReadResult.Found.class, found -> assertThat(found.content()).isEqualTo(two));
    bench.fake.delete("configmaps", "cotenant-system", "state");
    assertThat(maps.write("state", first, ONE)).isEqualTo(new WriteOutcome.Conflict());
  }

  @Test
  void foreignContentIsReadAsFarAsItGoes() {
    made();
    ObjectNode map = bench.fake.find("configmaps", "cotenant-system", "state").orElseThrow();
    map.withObject("/metadata/annotations").put("cotenant.dev/term", "many");
    map.withObject("/data").put("number", 7);
    bench.fake.replace("configmaps", map);

    assertThat(maps.read("state"))
        .isInstanceOfSatisfying(
            ReadResult.Found.class,
            found -> assertThat(found.content()).isEqualTo(new Content(0, ONE.entries())));
    assertThat(bench.log).anyMatch(line -> line.contains("'many'"));
  }

  @Test
  void tellsWhatIsCertainFromWhatIsNot() {
    String version = made();
    bench.fake.script(_ -> Optional.of(Scripted.HANG_UP));
    assertThat(maps.write("state", version, ONE)).isInstanceOf(WriteOutcome.Unknown.class);
    assertThat(maps.read("state")).isInstanceOf(ReadResult.Failed.class);

    bench.fake.script(_ -> Optional.of(Scripted.of(500, "{}")));
    assertThat(maps.write("state", version, ONE)).isInstanceOf(WriteOutcome.Unknown.class);
    assertThat(maps.read("state")).isInstanceOf(ReadResult.Failed.class);

    bench.fake.script(
        _ -> Optional.of(Scripted.of(403, "{\"message\": \"configmaps is forbidden\"}")));
    assertThat(maps.write("state", version, ONE))
        .isEqualTo(new WriteOutcome.Refused("HTTP 403: configmaps is forbidden"));
  }

  @Test
  void sendsNothingOnceItDoesNotLead() {
    String version = made();
    leads.set(false);
    assertThat(maps.write("state", version, new Content(9, Map.of())))
        .isInstanceOf(WriteOutcome.Refused.class);
    assertThat(maps.read("state")).isEqualTo(new ReadResult.Found(version, ONE));
  }
}
