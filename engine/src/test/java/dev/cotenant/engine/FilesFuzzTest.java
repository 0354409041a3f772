package dev.cotenant.engine;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.device.DeviceFile;
import dev.cotenant.domain.testing.Fuzzer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Coverage-guided; see {@link Fuzzer}. */
class FilesFuzzTest {
  @Test
  void letsNothingButInputExceptionsOutOfUploadedFiles() throws Exception {
    Fuzzer.run(
        FilesFuzzTarget.class,
        Map.of(
            "predictor", with(0, "cotenant-model 1\n{}\n".getBytes(StandardCharsets.UTF_8)),
            "cluster", with(2, Files.readAllBytes(Path.of("../examples/clusters/busy.json"))),
            "devices", with(3, devices())),
        1 << 15,
        Duration.ofSeconds(60));
  }

  private static byte[] devices() {
    return String.join("\n", DeviceFile.write(DeviceCatalogue.builtIn().devices()))
        .getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] with(int kind, byte[] body) {
    byte[] all = new byte[body.length + 1];
    all[0] = (byte) kind;
    System.arraycopy(body, 0, all, 1, body.length);
    return all;
  }
}
