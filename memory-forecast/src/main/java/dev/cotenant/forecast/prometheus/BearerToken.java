package dev.cotenant.forecast.prometheus;

import dev.cotenant.forecast.prometheus.MetricsReading.Cause;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** A token in a file, as clusters mount them; its text never reaches a message. */
final class BearerToken {
  private BearerToken() {}

  /** What the header of a request to {@code uri} says. */
  static String header(Path file, URI uri) throws InvalidResponseException {
    String token;
    try {
      token = Files.readString(file).strip();
    } catch (NoSuchFileException e) {
      throw unusable(uri, file, "no such file", e);
    } catch (CharacterCodingException e) {
      throw unusable(uri, file, "it is not text", e);
    } catch (IOException e) {
      throw unusable(uri, file, "it cannot be read: " + e.getMessage(), e);
    }
    if (!token.matches("[!-~]+")) { // what RFC 6750 allows is within visible ASCII
      throw new InvalidResponseException(
          Cause.NO_TOKEN, text(uri, file, "it holds no single word of visible ASCII"));
    }
    return "Bearer " + token;
  }

  private static InvalidResponseException unusable(URI uri, Path file, String why, IOException e) {
    return new InvalidResponseException(Cause.NO_TOKEN, text(uri, file, why), e);
  }

  private static String text(URI uri, Path file, String why) {
    return uri + ": was not queried for want of the bearer token in " + file + ": " + why;
  }
}
