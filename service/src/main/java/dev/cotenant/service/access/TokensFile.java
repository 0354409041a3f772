package dev.cotenant.service.access;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.text.Sha256;
import dev.cotenant.engine.files.InputFiles;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import org.jboss.logging.Logger;

/**
 * The file of tokens with roles. A changed file counts within a second; one that cannot be read
 * leaves the entries before it in force and is logged. Safe for use by many threads.
 */
public final class TokensFile {
  private static final Logger LOG = Logger.getLogger(TokensFile.class);
  private static final int MAX_BYTES = 256 << 10;
  private static final Duration READ_EVERY = Duration.ofSeconds(1);

  private final Path file;
  private final InstantSource clock;
  private Map<String, Caller> byDigest;
  private byte[] content;
  private Instant readAt;
  private String complaint = "";

  /**
   * Reads the file.
   *
   * @throws InputException where it cannot be read, naming file and line
   */
  public TokensFile(Path file, InstantSource clock) {
    this.file = file;
    this.clock = clock;
    content = read();
    byDigest = TokenEntries.read(file.toString(), content);
    readAt = clock.instant();
  }

  /** The holder of a token; empty for an unknown token. */
  synchronized Optional<Caller> find(String token) {
    Instant now = clock.instant();
    if (!now.isBefore(readAt.plus(READ_EVERY))) {
      readAt = now;
      look();
    }
    return Optional.ofNullable(byDigest.get(Sha256.of(token)));
  }

  private void look() {
    try {
      byte[] bytes = read();
      complaint = "";
      if (!Arrays.equals(bytes, content)) {
        content = bytes; // so that a broken file is parsed and logged once
        byDigest = TokenEntries.read(file.toString(), bytes);
        LOG.infof("%s has %d tokens", file, byDigest.size());
      }
    } catch (InputException e) {
      String message = String.valueOf(e.getMessage());
      if (!message.equals(complaint)) {
        LOG.errorf("the previous tokens stay in force: %s", message);
      }
      complaint = message;
    }
  }

  private byte[] read() {
    return InputFiles.read(file, "tokens with roles", MAX_BYTES);
  }
}
