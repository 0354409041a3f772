package dev.cotenant.plugin;

import dev.cotenant.domain.InputException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.jspecify.annotations.Nullable;

/**
 * A manifest and its model in one ZIP archive, unpacked in memory and within the limits of {@link
 * ModelFile}. Names of entries are compared and never used as paths.
 *
 * @param manifest its text
 * @param models by name the other file
 */
record Archive(String manifest, Map<String, byte[]> models) {
  /**
   * @param name what to call the archive in messages
   * @throws InputException ({@code bad-archive}, {@code file-too-large})
   */
  static Archive of(byte[] bytes, String name) {
    String manifest = null;
    Map<String, byte[]> models = new LinkedHashMap<>();
    try (ZipInputStream zip = new ZipInputStream(new ByteArrayInputStream(bytes))) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        if (entry.getName().matches("manifest\\.(yaml|yml|json)") && manifest == null) {
          byte[] text = ModelFile.read(zip, name + "'s manifest", ModelFile.MAX_MANIFEST_BYTES);
          manifest = new String(text, StandardCharsets.UTF_8);
        } else if (models.isEmpty()) {
          models.put(
              entry.getName(), ModelFile.read(zip, name + "'s model", ModelFile.MAX_MODEL_BYTES));
        } else {
          throw bad(name, null);
        }
      }
    } catch (IOException | IllegalArgumentException e) {
      throw bad(name, e);
    }
    if (manifest == null || models.isEmpty()) {
      throw bad(name, null);
    }
    return new Archive(manifest, models);
  }

  /**
   * The bytes of the model that the manifest names.
   *
   * @throws InputException ({@code file-not-found}, {@code regressor-hash-mismatch})
   */
  byte[] model(Manifest manifest) {
    byte[] model = models.get(manifest.file());
    if (model == null) {
      throw InputException.malformed(
          "file-not-found", "The archive has no file '" + manifest.file() + "', its model.");
    }
    return ModelFile.requireHash(model, manifest.file(), manifest.sha256());
  }

  private static InputException bad(String name, @Nullable Exception cause) {
    String message =
        name
            + ": must be a ZIP archive of manifest.yaml and the model that it names, nothing else.";
    return cause == null
        ? InputException.malformed("bad-archive", message)
        : new InputException(InputException.Kind.MALFORMED, "bad-archive", message, cause);
  }
}
