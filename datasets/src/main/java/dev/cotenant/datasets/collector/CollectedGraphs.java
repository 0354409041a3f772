package dev.cotenant.datasets.collector;

import dev.cotenant.datasets.file.UnusableRowException;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.graph.GraphFeatures;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.features.FeatureExtractor;
import dev.cotenant.features.GraphBinding;
import dev.cotenant.features.ModelGraph;
import dev.cotenant.features.OnnxGraphReader;
import dev.cotenant.features.ReaderLimits;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;

/** The gzipped graphs of one folder, each read once; messages name the graph as the table does. */
final class CollectedGraphs {
  private static final ReaderLimits LIMITS = ReaderLimits.DEFAULT;

  private final Path directory;
  private final OnnxGraphReader reader = new OnnxGraphReader(LIMITS);
  private final FeatureExtractor extractor = new FeatureExtractor();
  private final SortedMap<String, ModelGraph> graphs = new TreeMap<>();

  CollectedGraphs(Path directory) {
    this.directory = directory;
  }

  /**
   * The features of a graph at a batch.
   *
   * @throws UnusableRowException where the graph is missing, no graph, or not known in full
   */
  ModelFeatures features(String name, int batch) {
    GraphFeatures features = extract(name, batch);
    if (features.shapeCoverage() < 1) {
      throw new UnusableRowException(
          "graph "
              + name
              + ": shapes of "
              + Math.round(100 * features.shapeCoverage())
              + " % of its products are known, so its work would be understated");
    }
    return features.model();
  }

  /** The files of all graphs that were read, in the order of their names. */
  List<Path> files() {
    return graphs.keySet().stream().map(this::path).toList();
  }

  private GraphFeatures extract(String name, int batch) {
    try {
      ModelGraph graph = graphs.get(name);
      if (graph == null) {
        graph = reader.read(content(name), name);
        graphs.put(name, graph);
      }
      return extractor.extract(graph, new GraphBinding(batch, Map.of()));
    } catch (InputException e) {
      throw new UnusableRowException("graph " + e.getMessage());
    }
  }

  private byte[] content(String name) {
    Path path = path(name);
    if (!Files.isRegularFile(path)) {
      throw new UnusableRowException(
          "graph " + name + " is missing: 'collect.py graphs' writes it");
    }
    try (InputStream in =
        new GZIPInputStream(new BufferedInputStream(Files.newInputStream(path)))) {
      return in.readNBytes((int) Math.min(Integer.MAX_VALUE - 8, LIMITS.uploadBytes() + 1));
    } catch (IOException e) {
      throw unreadable(name, e);
    }
  }

  private Path path(String name) {
    Path path = directory.resolve(name).normalize();
    if (!path.startsWith(directory.normalize()) || !name.endsWith(".onnx.gz")) {
      throw new UnusableRowException(
          "graph '" + name + "' is not the path of an .onnx.gz file below the folder");
    }
    return path;
  }

  private static UnusableRowException unreadable(String name, IOException cause) {
    return new UnusableRowException("graph " + name + " cannot be read: " + cause.getMessage());
  }
}
