package dev.cotenant.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The plugin beside a kubectl that logs its arguments and answers from files of its folder. */
final class FakeKubectl {
  private static final String PROGRAM =
      """
      #!/bin/sh
      folder=$(dirname "$0")
      printf '%s\n' "$*" >>"$folder/requested"
      answer() {
        if [ -e "$folder/$1.error" ]; then
          cat "$folder/$1.error" >&2
          exit 1
        fi
        [ ! -e "$folder/$1" ] || cat "$folder/$1"
        exit 0
      }
      for argument; do
        case $argument in
          --kubeconfig=*/kubectl-cotenant.*)
            config=${argument#--kubeconfig=}
            ls -l "$config" | cut -c1-10 >"$folder/mode"
            cp "$config" "$folder/config"
            cp "${config%/*}/token" "$folder/token-sent"
            for file; do :; done
            case $file in /*/body) cat "$file" >>"$folder/bodies" ;; esac
            answer service
            ;;
        esac
      done
      case $* in
        *'config view'*) printf %s team-a ;;
        *'config current-context'*) answer context ;;
        *'create token'*) answer token ;;
        *port-forward*)
          [ ! -e "$folder/port-forward.error" ] || answer port-forward
          echo 'Forwarding from 127.0.0.1:41234 -> 8443'
          echo $$ >"$folder/forwarding"
          exec sleep 60
          ;;
        *'create --dry-run=client'*) answer objects ;;
        *'{{range .items}}{{range .webhooks}}'*) answer releases ;;
        *'get --raw /version'*) answer version ;;
        *api-versions*) answer api-versions ;;
        *) answer "$(printf '%s\n' "$*" | sed -n '1s/^.*get \\([a-z]*\\).*/\\1/p')" ;;
      esac
      """;

  private final Path folder;
  private final Path bin;
  private final Map<String, String> environment = new HashMap<>();

  record Outcome(int exitCode, String out, String err) {}

  /** In a folder of its own. */
  FakeKubectl(Path root, Path folder) throws IOException {
    this.folder = folder;
    bin = Files.createDirectories(folder.resolve("the bin"));
    Files.copy(
        root.resolve("kubectl-cotenant"),
        bin.resolve("kubectl-cotenant"),
        StandardCopyOption.COPY_ATTRIBUTES);
    Path kubectl = Files.writeString(bin.resolve("kubectl"), PROGRAM);
    assertThat(kubectl.toFile().setExecutable(true)).isTrue();
    setAccount("ops/gpu-reader");
  }

  void setAccount(String account) {
    environment.put("COTENANT_SERVICE_ACCOUNT", account);
  }

  void setColumns(int columns) {
    environment.put("COLUMNS", String.valueOf(columns));
  }

  /** Lets it print a text. */
  void answer(String request, String text) throws IOException {
    Files.deleteIfExists(bin.resolve(request + ".error"));
    Files.writeString(bin.resolve(request), text);
  }

  /** Lets it fail with a text. */
  void refuse(String request, String error) throws IOException {
    Files.writeString(bin.resolve(request + ".error"), error);
  }

  /** Its arguments, a line for each call. */
  List<String> requested() throws IOException {
    Path requested = bin.resolve("requested");
    return Files.exists(requested) ? Files.readAllLines(requested) : List.of();
  }

  /** What it has recorded. */
  String recorded(String name) throws IOException {
    return Files.readString(bin.resolve(name));
  }

  /** Runs the plugin. */
  Outcome run(String... arguments) throws IOException, InterruptedException {
    Path out = folder.resolve("out.txt");
    Path err = folder.resolve("err.txt");
    Path temporary = Files.createDirectories(folder.resolve("temporary"));
    List<String> command = new ArrayList<>(List.of(bin.resolve("kubectl-cotenant").toString()));
    command.addAll(Arrays.asList(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
    Map<String, String> variables = builder.environment();
    variables.keySet().removeIf(name -> name.startsWith("COTENANT_") || name.equals("COLUMNS"));
    variables.putAll(environment);
    variables.merge("PATH", bin.toString(), (old, first) -> first + File.pathSeparator + old);
    variables.put("TMPDIR", temporary.toString());
    Process process = builder.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    try (Stream<Path> left = Files.list(temporary)) {
      assertThat(left).as("left over").isEmpty();
    }
    return new Outcome(process.exitValue(), Files.readString(out), Files.readString(err));
  }
}
