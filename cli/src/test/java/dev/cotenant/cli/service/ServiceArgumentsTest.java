package dev.cotenant.cli.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.cli.files.Installation;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.device.DeviceFile;
import dev.cotenant.domain.testing.FreePort;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

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
    List<String> training = arguments().ofTraining(home.resolve("service.aot"));

    assertThat(served).containsSubsequence(EXIT, "-jar");
    assertThat(supervised).containsSubsequence(EXIT, SupervisedMain.class.getName());
    assertThat(training).containsSubsequence(EXIT, "-jar");
  }

  @Test
  void serveHandsTheUsersOwnDevicesToTheService() throws IOException {
    Path file = home.resolve("gpus.csv");
    Files.write(file, DeviceFile.write(DeviceCatalogue.builtIn().devices()));
    Path left = home.resolve("arguments");

    int exitCode =
        new CommandLine(new ServeCommand(new Installation(home), () -> Optional.of(file)))
            .execute(
                "--port",
                String.valueOf(FreePort.find()),
                "--https-port",
                String.valueOf(FreePort.find()),
                "--java-arguments",
                "" + left);

    assertThat(exitCode).isZero();
    assertThat(left).content().contains("-Dcotenant.devices.file=" + file + "\n");
    assertThatThrownBy(() -> arguments().devices(home.resolve("none.csv")))
        .hasMessageContaining("none.csv does not exist");
  }

  @Test
  void aCacheThatIsThereIsUsedExceptToMakeAnother() throws IOException {
    Path cache = new Installation(home).serviceCache();
    Files.writeString(cache, "classes");

    assertThat(arguments().ofSupervised()).contains("-XX:AOTCache=" + cache);
    assertThat(arguments().ofTraining(cache))
        .contains("-XX:AOTCacheOutput=" + cache)
        .noneMatch(argument -> argument.startsWith("-XX:AOTCache="));
  }
}
