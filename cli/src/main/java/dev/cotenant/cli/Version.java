package dev.cotenant.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** The project's version, as its build wrote it. */
final class Version implements IVersionProvider {
  private static final String RESOURCE = "version.properties";

  static String text() {
    Properties properties = new Properties();
    try (InputStream in =
        Objects.requireNonNull(Version.class.getResourceAsStream(RESOURCE), RESOURCE)) {
      properties.load(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return Objects.requireNonNull(properties.getProperty("version"), "version");
  }

  @Override
  public String[] getVersion() {
    return new String[] {"cotenant " + text()};
  }
}
