package dev.cotenant.plugin;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** A folder with a manifest and the model that it names. */
record RegressorFolder(Path folder) {
  static final String INPUTS = "[{feature: batch_size}, {feature: flops, scale: log1p}]";
  static final String OFFSET = "{log_offset: 0.5, coverage: 0.9}";

  /** Writes both; {@code inputs}, {@code answers} and {@code bound} are YAML. */
  Path write(OnnxBytes model, String inputs, String answers, String bound) {
    return write(
        model,
        """
        format: 1
        name: mine
        model: model.onnx
        sha256: SHA256
        devices: [a100-40gb]
        inputs: %s
        output: {answers: %s}
        bound: %s
        """
            .formatted(inputs, answers, bound));
  }

  /** Writes a model of two inputs, batch and log1p of FLOPs, that answers percent. */
  Path write(OnnxBytes model) {
    return write(model, INPUTS, "utilization_percent", OFFSET);
  }

  Path write(OnnxBytes model, String manifest) {
    byte[] bytes = model.toByteArray();
    try {
      Files.write(folder.resolve("model.onnx"), bytes);
      String hash = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
      return Files.writeString(folder.resolve("manifest.yaml"), manifest.replace("SHA256", hash));
    } catch (IOException | NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
