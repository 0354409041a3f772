package dev.cotenant.llm.pod;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ShellScriptTest {
  private static final Map<String, String> ENVIRONMENT =
      Map.of("A", "x".repeat(200_000), "M", "a/b");

  private static Workload read(List<String> command, String... args) {
    return new ContainerReader()
        .read(new Container("img", command, List.of(args), ENVIRONMENT, Set.of()));
  }

  private static List<List<String>> split(String script) {
    return ShellWords.split(script, ENVIRONMENT, new Expansion()).stream()
        .map(ShellCommand::words)
        .toList();
  }

  private static Workload.Vllm script(String text) {
    return (Workload.Vllm) read(List.of("sh", "-c"), text);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "\""})
  void aScriptThatExpandsToGigabytesIsUnknown(String quote) {
    String script = "vllm serve " + quote + "$A".repeat(30_000) + quote;
    List<List<String>> commands = split(script);
    assertThat(commands).containsExactly(List.of("vllm", "serve", ShellWords.UNKNOWN));
    Workload.Vllm server = script(script);
    assertThat(server.model()).isNull();
    assertThat(server.notes())
        .anyMatch(note -> note.contains("cannot be resolved before the pod runs"));
  }

  @Test
  void wordsOfAScriptShareOneBudget() {
    List<List<String>> commands = split("vllm $A; echo $A $A; echo $M");
    int built = commands.stream().flatMap(List::stream).mapToInt(String::length).sum();
    assertThat(built).isBetween(200_000, Expansion.MAX);
    assertThat(commands).hasSize(2);
    assertThat(commands.getLast()).containsExactly("echo", ShellWords.UNKNOWN);
  }

  @Test
  void referencesShareItToo() {
    Workload.Vllm server =
        (Workload.Vllm)
            read(
                List.of("vllm", "serve"),
                "$(A)".repeat(30_000),
                "--seed=$(A)",
                "--dtype=$(M)",
                "--max-num-seqs=8");
    assertThat(server.model()).isNull();
    assertThat(server.flags()).containsOnlyKeys("max-num-seqs");
    assertThat(server.notes()).anyMatch(note -> note.startsWith("3 command arguments"));
  }

  @Test
  void valuesAreCut() {
    Workload.Vllm server =
        (Workload.Vllm)
            read(List.of("vllm", "serve"), "$(A)", "--dtype=" + "\ud83d\ude00".repeat(9999));
    assertThat(Objects.requireNonNull(server.model()).text()).hasSize(Value.MAX);
    assertThat(Objects.requireNonNull(server.flags().get("dtype")).text().length())
        .isBetween(Value.MAX - 1, Value.MAX);
    assertThat(((Workload.Unknown) read(List.of("$(A)"))).reason().length())
        .isLessThan(2 * Value.MAX);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "M=foo | true; vllm serve $M",
        "M=foo & vllm serve $M",
        "test -d /m && M=foo; vllm serve $M",
        "(M=foo); (M=foo) && vllm serve $M",
        "f() { M=foo; }; M=bar; f; vllm serve $M",
        "f() {\n M=foo\n}\nvllm serve $M",
        "M+=foo; vllm serve $M",
        "M=~/foo; vllm serve $M",
        "M=foo; M=$(cat /m); vllm serve $M",
        "case $X in a) M=foo;; esac; vllm serve $M",
        "{ M=foo; } | true; vllm serve $M",
        "echo | M=foo; vllm serve $M",
        "M=foo; eval M=bar; vllm serve $M",
        "M=$(cat /m); vllm serve $M",
        "if true; then M=foo; fi; vllm serve ${M}",
        "unset M && vllm serve $M",
        "IFS=, read -r M; vllm serve $M",
        "export $(cat /env | xargs); vllm serve $M",
        ". /etc/env; vllm serve $M",
        "for M in c d; do vllm serve $M; done",
        "M=foo; f() { M=bar; }; f; vllm serve $M",
        "g() M=bar; g; vllm serve $M",
        "function g { M=bar; }; g; vllm serve $M",
        "printf -v M bar; vllm serve $M",
        "printf -vM bar; vllm serve $M",
        "command . /x; vllm serve $M",
        "builtin eval M=bar; vllm serve $M",
        "command -p read M; vllm serve $M",
        "time -p read M; vllm serve $M",
        "time M=$X; vllm serve $M",
        "M[0]=bar; vllm serve $M",
        "declare -n R=M; R=bar; vllm serve $M",
        "let M=5; vllm serve $M",
        "((M=5)); vllm serve $M",
        "$RUN M=5; vllm serve $M",
        "M=bar :; vllm serve $M",
        "echo $(a $(b); M=bar; c); vllm serve $M",
        "echo $((M=5)); vllm serve $M",
        "N=; : ${N:=bar}; vllm serve $N",
        "echo $'x'; vllm serve $M"
      })
  void aVariableThatAScriptChangesIsUnknown(String text) {
    assertThat(script(text).model()).isNull();
    assertThat(script(text).notes()).isNotEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "M=foo; vllm serve $M",
        "M=foo; echo `x; M=bar; y`; vllm serve $M",
        "time M=foo; vllm serve $M",
        "export M=foo; vllm serve $M",
        "N=foo\nM=$N && export M && exec vllm serve ${M}",
        "set -e; M='foo'; if true; then vllm serve \"$M\"; fi",
        "M=c; M=foo; (cd /x; vllm serve $M)",
        "M=foo\ncase $1 in\n serve) vllm serve $M ;;\n *) exit 1;;\nesac",
        "M=foo; case x in a|b) vllm serve $M;; esac",
        "case $1 in a) true;; esac; M=foo; vllm serve $M",
        "(sleep 1; vllm serve foo) & wait",
        "(M=c); M=foo; vllm serve $M",
        "if true; then M=c; fi; M=foo; vllm serve $M"
      })
  void literalsSubshellsAndCasesAreRead(String text) {
    assertThat(Objects.requireNonNull(script(text).model()).text()).isEqualTo("foo");
  }

  @ParameterizedTest
  @ValueSource(strings = {"(", ")", "((", "case", "case x in", "esac", ")(", "a)", "f()", "{ ("})
  void brokenScriptsEndQuietly(String text) {
    assertThat(read(List.of("sh", "-c"), text)).isInstanceOf(Workload.Unknown.class);
    assertThat(script(text + "\nvllm serve a/b").notes()).isNotNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "export N=foo; vllm serve $M",
        "N=1 M=foo true; vllm serve $M",
        "if [ -d /m ]; then vllm serve $M; fi",
        "while true; do vllm serve $M; done",
        "until ! { vllm serve $M; }; do sleep 1; done",
        "if a; then b; elif c; then exec vllm serve $M; else d; fi"
      })
  void commandsWithinCompoundOnesAreRead(String text) {
    assertThat(Objects.requireNonNull(script(text).model()).text()).isEqualTo("a/b");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "case $X in small) exec vllm serve a/b;; *) exec vllm serve c/d;; esac",
        "if $X; then vllm serve a/b; else vllm serve c/d; fi",
        "vllm serve a/b & vllm serve c/d & wait",
        "vllm serve a/b & vllm serve a/b & wait",
        "$X && exec vllm serve a/b; exec python x.py",
        "x || vllm serve a/b",
        "f() {\n vllm serve a/b\n}; f",
        "while true; do vllm serve a/b; done",
        "vllm serve a/b & torchrun x.py"
      })
  void anEngineThatMayNotBeTheOnlyOneIsNoted(String text) {
    assertThat(Objects.requireNonNull(script(text).model()).text()).isEqualTo("a/b");
    assertThat(script(text).notes())
        .anyMatch(note -> note.contains("another may run") || note.contains("more than one"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "vllm serve a/b",
        "cd /x && exec vllm serve a/b",
        "if x; then y; fi; x || y; vllm serve a/b",
        "vllm serve a/b & wait",
        "vllm serve a/b | tee /log"
      })
  void theOnlyEngineOfAScriptIsNotNoted(String text) {
    assertThat(script(text).notes()).isEmpty();
  }

  @Test
  void whatEndsACompoundCommandIsNoReason() {
    assertThat(read(List.of("sh", "-c"), "if a; then serve-it; fi"))
        .isEqualTo(new Workload.Unknown("it runs serve-it"));
  }

  @Test
  void aContainerWithoutCommandIsUnknown() {
    assertThat(read(List.of())).isInstanceOf(Workload.Unknown.class);
    assertThat(read(List.of("sh", "-c"), "")).isInstanceOf(Workload.Unknown.class);
    assertThat(read(List.of("sh", "-c"), "}")).isInstanceOf(Workload.Unknown.class);
  }

  @Test
  void aHereDocumentEndsWhatIsKnown() {
    assertThat(read(List.of("sh", "-c"), "cat <<EOF\nvllm serve a/b\nEOF\nvllm serve c/d"))
        .isEqualTo(new Workload.Unknown("it runs cat"));
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '~',
      value = {"a\\d, a\\d", "a\\$M, a$M", "a\\\\b, a\\b", "a\\\"b, a\"b", "a\\`b, a`b"})
  void aBackslashInDoubleQuotesEscapesFewCharacters(String quoted, String word) {
    assertThat(split("echo \"" + quoted + "\"")).containsExactly(List.of("echo", word));
  }
}
