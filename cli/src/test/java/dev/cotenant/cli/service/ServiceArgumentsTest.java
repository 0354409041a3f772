package dev.cotenant.cli.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.cli.files.Installation;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServiceArgumentsTest {
  private static final String EXIT = "-XX:+ExitOnOutOfMemoryError";

  @TempDir Path home;

  @BeforeEach
  void install() throws IOException {
    Installation installation = new Installation(home);
    makeJar(installation.serviceJar());
    makeJar(installation.commandJar());
  }

  private static void makeJar(Path jar) throws IOException {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, "made.up.Main");
    Files.createDirectories(jar.getParent());
    try (OutputStream out = Files.newOutputStream(jar);
        JarOutputStream entries = new JarOutputStream(out, manifest)) {
      entries.finish();
    }
  }

  private ServiceArguments arguments() {
    return new ServiceArguments(new Installation(home), new ServiceOptions());
  }

  @Test
  void theServiceEndsWhenItsMemoryIsExhausted() {
    List<String> served = arguments().ofJar();
    List<String> supervised = arguments().ofSupervised();

    assertThat(served).containsSubsequence(EXIT, "-jar");
    assertThat(supervised).containsSubsequence(EXIT, SupervisedMain.class.getName());
  }

  @Test
  void soDoesTheServiceThatMakesTheCacheOfClasses() throws IOException {
    Path launcher = Path.of(System.getProperty("cotenant.root")).resolve("cotenant");

    assertThat(launcher).content().containsOnlyOnce(EXIT);
  }
}
