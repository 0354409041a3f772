package dev.cotenant.distribution;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.compressors.gzip.GzipCompressorOutputStream;
import org.apache.commons.compress.compressors.gzip.GzipParameters;

/**
 * Packs the Helm chart, as {@code helm package} does, and writes it as an OCI artefact with Helm's
 * media types in an OCI image layout, from which tools such as {@code oras} or {@code skopeo} push
 * it. The same files give the same archives.
 */
public final class ChartArtifact {
  private static final String MANIFEST = "application/vnd.oci.image.manifest.v1+json";
  private static final String CONFIG = "application/vnd.cncf.helm.config.v1+json";
  private static final String CONTENT = "application/vnd.cncf.helm.chart.content.v1.tar+gzip";
  private static final ObjectMapper JSON = new ObjectMapper();

  private final long time;
  private final Map<String, byte[]> blobs = new TreeMap<>();

  private ChartArtifact(long time) {
    this.time = time;
  }

  /** Arguments: the chart's folder, the build folder, and the time of all files. */
  public static void main(String[] arguments) throws IOException {
    Path chart = Path.of(arguments[0]);
    Map<?, ?> metadata =
        new YAMLMapper().readValue(chart.resolve("Chart.yaml").toFile(), Map.class);
    String name = metadata.get("name") + "-chart-" + metadata.get("version");
    Path target = Path.of(arguments[1]);
    ChartArtifact artifact = new ChartArtifact(Instant.parse(arguments[2]).toEpochMilli());
    byte[] content = artifact.packed(chart, metadata.get("name").toString());
    Files.write(target.resolve(name + ".tgz"), content);
    Path layout = target.resolve(name + "-oci.tar");
    Files.write(layout, artifact.layout(metadata, content));
    System.out.println(layout);
  }

  /** The chart's files below a folder of its name. */
  private byte[] packed(Path chart, String name) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    GzipParameters parameters = new GzipParameters();
    parameters.setModificationInstant(Instant.EPOCH);
    try (TarArchiveOutputStream tar =
            new TarArchiveOutputStream(new GzipCompressorOutputStream(bytes, parameters));
        Stream<Path> files = Files.walk(chart)) {
      for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
        add(tar, name + "/" + chart.relativize(file), Files.readAllBytes(file));
      }
    }
    return bytes.toByteArray();
  }

  private byte[] layout(Map<?, ?> metadata, byte[] content) throws IOException {
    Map<String, Object> manifest = new LinkedHashMap<>();
    manifest.put("schemaVersion", 2);
    manifest.put("mediaType", MANIFEST);
    manifest.put("config", blob(CONFIG, JSON.writeValueAsBytes(metadata)));
    manifest.put("layers", List.of(blob(CONTENT, content)));
    String version = metadata.get("version").toString();
    manifest.put(
        "annotations",
        new TreeMap<>(
            Map.of(
                "org.opencontainers.image.title", metadata.get("name"),
                "org.opencontainers.image.version", version,
                "org.opencontainers.image.created", Instant.ofEpochMilli(time).toString())));
    Map<String, Object> entry = blob(MANIFEST, JSON.writeValueAsBytes(manifest));
    entry.put("annotations", Map.of("org.opencontainers.image.ref.name", version));
    Map<String, Object> index = new LinkedHashMap<>();
    index.put("schemaVersion", 2);
    index.put("manifests", List.of(entry));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (TarArchiveOutputStream tar = new TarArchiveOutputStream(bytes)) {
      add(tar, "oci-layout", "{\"imageLayoutVersion\":\"1.0.0\"}".getBytes(StandardCharsets.UTF_8));
      add(tar, "index.json", JSON.writeValueAsBytes(index));
      for (Map.Entry<String, byte[]> blob : blobs.entrySet()) {
        add(tar, "blobs/sha256/" + blob.getKey(), blob.getValue());
      }
    }
    return bytes.toByteArray();
  }

  /** Takes a blob into the layout; gives its descriptor. */
  private Map<String, Object> blob(String type, byte[] content) {
    String digest = digest(content);
    blobs.put(digest, content);
    Map<String, Object> descriptor = new LinkedHashMap<>();
    descriptor.put("mediaType", type);
    descriptor.put("digest", "sha256:" + digest);
    descriptor.put("size", content.length);
    return descriptor;
  }

  private void add(TarArchiveOutputStream tar, String name, byte[] content) throws IOException {
    TarArchiveEntry entry = new TarArchiveEntry(name);
    entry.setSize(content.length);
    entry.setModTime(time);
    entry.setIds(0, 0);
    entry.setNames("", "");
    tar.putArchiveEntry(entry);
    tar.write(content);
    tar.closeArchiveEntry();
  }

  private static String digest(byte[] content) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java runtime has SHA-256", e);
    }
  }
}
