package dev.cotenant.plugin;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.predictor.plugin.Regressor;
import dev.cotenant.predictor.plugin.RegressorLoader;
import java.nio.file.Path;

/**
 * Loads ONNX regressors. Found by name as a service.
 *
 * <p>A model file decides what is computed, so it is trusted as code is: the hash in the manifest
 * says which file somebody looked at. What is checked besides keeps accidents and the simplest
 * attacks out: size, no other files, no loops, only operators whose results are as large as what
 * they are given, a deadline for each run.
 */
public final class OnnxRegressorLoader implements RegressorLoader {
  /** ResNet-50 at batch 32: something that every regressor should have an answer for. */
  private static final ModelFeatures PROBE =
      new ModelFeatures(
          new LayerCounts(53, 1, 49, 55),
          53,
          25_557_032,
          MemorySize.ofBytes(102_228_128),
          32 * 4_089_184_256L,
          MemorySize.ofBytes(32 * 88_000_000L),
          MemorySize.ofBytes(32 * 602_112L),
          32);

  private final DeviceCatalogue catalogue = DeviceCatalogue.builtIn();

  @Override
  public Regressor load(Path manifest) {
    Manifest read = manifest(ModelFile.manifest(manifest), manifest.toString());
    byte[] model = ModelFile.model(manifest, read.file(), read.sha256());
    return open(read, model, read.sha256());
  }

  @Override
  public Regressor read(byte[] archive, String name) {
    Archive unpacked = Archive.of(archive, name);
    Manifest read = manifest(unpacked.manifest(), name);
    return open(read, unpacked.model(read), ModelFile.sha256(archive));
  }

  private Manifest manifest(String text, String name) {
    return new ManifestReader(catalogue).read(text, name);
  }

  private Regressor open(Manifest manifest, byte[] model, String sha256) {
    GraphGuard.check(model, manifest.file());
    OnnxSession session = OnnxSession.open(model, manifest.file(), manifest.inputs().size());
    OnnxRegressor tried = null;
    try {
      tried = tried(new OnnxRegressor(manifest, sha256, session), manifest);
      return tried;
    } finally {
      if (tried == null) {
        session.close();
      }
    }
  }

  private OnnxRegressor tried(OnnxRegressor regressor, Manifest manifest) {
    for (DeviceId device : manifest.scope().devices()) {
      regressor.estimate(PROBE, catalogue.require(device.value()));
    }
    return regressor;
  }
}
