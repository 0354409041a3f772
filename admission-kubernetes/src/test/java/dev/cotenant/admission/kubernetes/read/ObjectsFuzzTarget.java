package dev.cotenant.admission.kubernetes.read;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.cotenant.domain.testing.FuzzOracle;
import java.io.IOException;
import java.util.function.Consumer;

/**
 * Objects of an API server, whose fields users write: pods, nodes, claims, slices and volumes. See
 * {@link FuzzOracle}.
 */
public final class ObjectsFuzzTarget {
  private static final ObjectMapper JSON = new ObjectMapper();

  private ObjectsFuzzTarget() {}

  /** Called by the fuzzer. */
  public static void fuzzerTestOneInput(byte[] input) {
    JsonNode object;
    try {
      object = JSON.readTree(input);
    } catch (IOException e) {
      return; // no JSON, or in UTF-32 that is none
    }
    if (object == null || !object.isObject()) {
      return;
    }
    attempt(new PodReader()::read, object);
    attempt(new PodReader()::any, object);
    attempt(new NodeReader()::read, object);
    attempt(DeviceReader::claim, object);
    attempt(DeviceReader::slice, object);
    attempt(VolumeReader::volume, object);
    attempt(VolumeReader::claim, object);
  }

  private static void attempt(Consumer<JsonNode> reader, JsonNode object) {
    FuzzOracle.check(() -> reader.accept(object));
  }
}
