package dev.cotenant.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.text.Sha256;
import dev.cotenant.predictor.model.Target;
import dev.cotenant.predictor.plugin.Regressor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Archives of a manifest and its model, as they are uploaded. */
class RegressorArchiveTest {
  private static final OnnxBytes GOOD = OnnxBytes.stump(16, 20, 60);

  @TempDir private Path folder;

  private Path good() {
    return new RegressorFolder(folder).write(GOOD);
  }

  private void refusesArchive(byte[] archive, String code) {
    assertThatThrownBy(() ->
            new OnnxRegressorLoader().read(archive, "upload", DeviceCatalogue.builtIn()).close())
        .isInstanceOfSatisfying(
            InputException.class, e -> assertThat(e.code()).as(e.getMessage()).isEqualTo(code));
  }

  @Test
  void refusesArchivesThatHoldAnythingElse() throws IOException {
    String manifest = Files.readString(good());
    byte[] text = manifest.getBytes(StandardCharsets.UTF_8);
    byte[] model = GOOD.toByteArray();
    refusesArchive(new byte[0], "bad-archive");
    refusesArchive("PK\3\4 is not enough".getBytes(StandardCharsets.US_ASCII), "bad-archive");
    refusesArchive(zip(Map.of("manifest.yaml", text)), "bad-archive");
    refusesArchive(zip(Map.of("model.onnx", model)), "bad-archive");
    refusesArchive(
        zip(Map.of("manifest.yaml", text, "model.onnx", model, "more", text)), "bad-archive");
    refusesArchive(zip(Map.of("manifest.yaml", text, "../model.onnx", model)), "file-not-found");
    refusesArchive(
        zip(Map.of("manifest.yaml", text, "model.onnx", text)), "regressor-hash-mismatch");
  }

  /** 65 MiB of zeros, 64 KiB in the archive. */
  @Test
  void refusesAnArchiveThatUnpacksToTooMuch() throws IOException {
    byte[] text = Files.readString(good()).getBytes(StandardCharsets.UTF_8);
    refusesArchive(
        zip(Map.of("manifest.yaml", text, "model.onnx", new byte[65 << 20])), "file-too-large");
    refusesArchive(zip(Map.of("manifest.yaml", new byte[65 << 10])), "file-too-large");
  }

  private static byte[] zip(Map<String, byte[]> files) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
      for (var file : files.entrySet()) {
        zip.putNextEntry(new ZipEntry(file.getKey()));
        zip.write(file.getValue());
      }
    }
    return bytes.toByteArray();
  }

  @Test
  void readsAnArchiveOfManifestAndModel() throws IOException {
    byte[] text = Files.readString(good()).getBytes(StandardCharsets.UTF_8);
    byte[] archive = zip(Map.of("manifest.yaml", text, "model.onnx", GOOD.toByteArray()));
    try (Regressor regressor =
        new OnnxRegressorLoader().read(archive, "upload", DeviceCatalogue.builtIn())) {
      assertThat(regressor.version()).isEqualTo("mine-" + Sha256.of(archive).substring(0, 12));
      assertThat(regressor.target()).isEqualTo(Target.UTILIZATION);
      assertThat(regressor.provenance()).contains("coverage: 0.9", "devices: [a100-40gb]");
    }
  }
}
