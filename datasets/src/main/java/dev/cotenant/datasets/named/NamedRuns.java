package dev.cotenant.datasets.named;

import dev.cotenant.datasets.file.UnusableRowException;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.profile.Licence;
import dev.cotenant.domain.profile.Measurement;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.workload.Framework;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.features.FeatureExtractor;
import dev.cotenant.features.GraphBinding;
import dev.cotenant.features.ModelGraph;
import dev.cotenant.features.OnnxGraphReader;
import dev.cotenant.features.ReaderLimits;
import dev.cotenant.zoo.ModelZoo;
import dev.cotenant.zoo.layers.InputShape;
import java.util.HashMap;
import java.util.Map;

/** Turns measured runs of named models into profiles; the zoo's graphs are built once. */
final class NamedRuns {
  private final OnnxGraphReader reader = new OnnxGraphReader(ReaderLimits.DEFAULT);
  private final FeatureExtractor extractor = new FeatureExtractor();
  private final Map<Network, ModelGraph> graphs = new HashMap<>();

  /** A network at an input. */
  private record Network(String zooName, InputShape input) {}

  /**
   * Where and how a run was measured.
   *
   * @param place set and line, such as {@code lucid:17}
   * @param batch samples in a batch
   * @param precision of the arithmetic
   * @param device that ran it
   * @param licence the set's terms
   * @param framework that ran it
   */
  record Run(
      String place,
      int batch,
      Precision precision,
      DeviceId device,
      Licence licence,
      Framework framework) {
    /** With PyTorch. */
    Run(String place, int batch, Precision precision, DeviceId device, Licence licence) {
      this(place, batch, precision, device, licence, Framework.PYTORCH);
    }

    /** The same with another framework. */
    Run with(Framework other) {
      return new Run(place, batch, precision, device, licence, other);
    }
  }

  /**
   * A profile of a run.
   *
   * @throws UnusableRowException where the name leaves open what was measured
   */
  ProfileRow profile(NamedModel model, Run run, Measurement measurement) {
    return switch (model) {
      case NamedModel.Unclear(String reason) -> throw new UnusableRowException(reason);
      case NamedModel.Known known ->
          new ProfileRow(
              run.place(),
              known.family(),
              known.zooName(),
              features(known, run.batch()),
              RunSettings.of(known.mode(), run.precision()).withFramework(run.framework()),
              run.device(),
              measurement,
              run.licence(),
              ProfileRow.Quality.CLEAN,
              known.identity());
    };
  }

  private ModelFeatures features(NamedModel.Known model, int batch) {
    Network network = new Network(model.zooName(), model.input());
    ModelGraph graph =
        graphs.computeIfAbsent(
            network, key -> reader.read(ModelZoo.build(key.zooName(), key.input()), key.zooName()));
    return extractor.extract(graph, new GraphBinding(batch, Map.of())).model();
  }
}
