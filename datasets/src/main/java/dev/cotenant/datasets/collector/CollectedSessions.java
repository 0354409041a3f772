package dev.cotenant.datasets.collector;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.cotenant.datasets.file.UnusableRowException;
import dev.cotenant.domain.workload.Framework;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The device sheets of one folder, {@code device/SESSION.json}, each read once. */
final class CollectedSessions {
  private static final Pattern NAME = Pattern.compile("[0-9A-Za-z-]{1,64}");
  private static final Pattern RELEASE = Pattern.compile("([0-9]{1,3})\\.([0-9]{1,3})\\b.*");

  /** The first release of PyTorch that loads kernels when they are first used. */
  private static final int LAZY_MAJOR = 1;

  private static final int LAZY_MINOR = 13;

  private static final long MAX_SHEET_BYTES = 1L << 20;

  private final Path directory;
  private final ObjectMapper json = new ObjectMapper();
  private final Map<String, Framework> frameworks = new HashMap<>();

  CollectedSessions(Path directory) {
    this.directory = directory;
  }

  /**
   * PyTorch of the release that the session's sheet states, of an unknown one where there is no
   * sheet.
   *
   * @throws UnusableRowException where the sheet is no sheet
   */
  Framework framework(String session) {
    return frameworks.computeIfAbsent(session, this::read);
  }

  private Framework read(String session) {
    Path sheet = directory.resolve("device").resolve(session + ".json");
    if (!NAME.matcher(session).matches() || !Files.isRegularFile(sheet)) {
      return Framework.PYTORCH;
    }
    try {
      if (Files.size(sheet) > MAX_SHEET_BYTES) {
        throw new UnusableRowException("device/" + session + ".json is larger than 1 MiB");
      }
      return release(
          json.readTree(Files.readString(sheet)).path("software").path("torch").asText());
    } catch (JsonProcessingException e) {
      throw new UnusableRowException(
          "device/" + session + ".json is not valid JSON: " + e.getOriginalMessage());
    } catch (IOException e) {
      throw new UnusableRowException(
          "device/" + session + ".json cannot be read: " + e.getMessage());
    }
  }

  private static Framework release(String version) {
    Matcher parts = RELEASE.matcher(version);
    if (!parts.matches()) {
      return Framework.PYTORCH;
    }
    int major = Integer.parseInt(parts.group(1));
    int minor = Integer.parseInt(parts.group(2));
    return major > LAZY_MAJOR || (major == LAZY_MAJOR && minor >= LAZY_MINOR)
        ? Framework.PYTORCH_2
        : Framework.PYTORCH_1;
  }
}
