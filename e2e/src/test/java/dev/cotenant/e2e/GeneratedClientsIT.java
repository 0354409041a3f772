package dev.cotenant.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.testing.OutsideData;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients that OpenAPI Generator makes from docs/openapi.json compile, and talk to a service. */
class GeneratedClientsIT {
  private static final Path ROOT = Path.of(System.getProperty("cotenant.root"));
  private static final Path PROGRAMS = Path.of("src", "test", "clients").toAbsolutePath();
  private static final Path GENERATOR =
      Path.of("target", "openapi-generator", "openapi-generator-cli.jar").toAbsolutePath();
  private static final Path TYPESCRIPT = Path.of("/usr/bin/tsc");
  private static final long MAX_MINUTES = 4;

  /** What both programs print: a device, a prediction, a decision and a refusal. */
  private static final String ROUND_TRIP =
      """
      A100 SXM4 40 GB 42949672960
      hybrid-\\S+ \\d{9,10}
      Admitted 0
      404 unknown-model
      """;

  @TempDir private static Path folder;

  private static LocalService service;

  @BeforeAll
  static void start() throws IOException {
    service = LocalService.start(ROOT, folder.resolve("service"));
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @Test
  void aJavaClientCompilesAndTalksToTheService() throws Exception {
    Path client = folder.resolve("java");
    generate(
        "java",
        client,
        "library=native,invokerPackage=dev.cotenant.client,apiPackage=dev.cotenant.client.api,"
            + "modelPackage=dev.cotenant.client.model,useSingleRequestParameter=true,"
            + "openApiNullable=false,useJakartaEe=true,hideGenerationTimestamp=true");
    Path classes = Files.createDirectories(folder.resolve("classes"));
    List<String> javac =
        new ArrayList<>(
            List.of(
                tool("javac"),
                "-J-XX:TieredStopAtLevel=1",
                "-proc:none",
                "-nowarn",
                "-classpath",
                System.getProperty("java.class.path"),
                "-d",
                classes.toString(),
                PROGRAMS.resolve("RoundTrip.java").toString()));
    try (Stream<Path> sources = Files.walk(client.resolve("src/main/java"))) {
      sources.map(Path::toString).filter(name -> name.endsWith(".java")).forEach(javac::add);
    }
    run(javac);

    assertThat(
            run(
                List.of(
                    tool("java"),
                    "-XX:TieredStopAtLevel=1",
                    "-classpath",
                    classes + File.pathSeparator + System.getProperty("java.class.path"),
                    "RoundTrip",
                    service.url())))
        .matches(ROUND_TRIP);
  }

  @Test
  void aTypeScriptClientCompilesAndTalksToTheService() throws Exception {
    OutsideData.requirePackage("node-typescript", TYPESCRIPT);
    generate("typescript-fetch", folder.resolve("typescript/client"), "");
    Path program = folder.resolve("typescript/round-trip.ts");
    Files.copy(PROGRAMS.resolve("round-trip.ts"), program);

    run(
        List.of(
            TYPESCRIPT.toString(),
            "--strict",
            "--noImplicitAny", // the test of a property narrows its object from version 4.9 on
            "false",
            "--target",
            "es2020",
            "--module",
            "commonjs",
            "--lib",
            "es2020,dom",
            program.toString()));

    assertThat(
            run(
                List.of(
                    "/usr/bin/node",
                    folder.resolve("typescript/round-trip.js").toString(),
                    service.url())))
        .matches(ROUND_TRIP);
  }

  private static void generate(String generator, Path output, String properties) throws Exception {
    List<String> line =
        new ArrayList<>(
            List.of(
                tool("java"),
                "-XX:TieredStopAtLevel=1",
                "-jar",
                GENERATOR.toString(),
                "generate",
                "--generator-name",
                generator,
                "--input-spec",
                ROOT.resolve("docs/openapi.json").toString(),
                "--output",
                output.toString(),
                "--global-property",
                "models,apis,supportingFiles,apiDocs=false,modelDocs=false,apiTests=false,"
                    + "modelTests=false"));
    if (!properties.isEmpty()) {
      line.addAll(List.of("--additional-properties", properties));
    }
    run(line);
  }

  private static String tool(String name) {
    return Path.of(System.getProperty("java.home"), "bin", name).toString();
  }

  /** Runs a program, which must end with 0; what it printed. */
  private static String run(List<String> line) throws IOException, InterruptedException {
    Path log = Files.createTempFile(folder, "program", ".log");
    Process process =
        new ProcessBuilder(line)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    boolean ended = process.waitFor(MAX_MINUTES, TimeUnit.MINUTES);
    process.destroyForcibly();
    String printed = Files.readString(log);
    assertThat(ended).as("ended in time: %s", printed).isTrue();
    assertThat(process.exitValue()).as(printed).isZero();
    return printed;
  }
}
