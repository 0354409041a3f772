package dev.cotenant.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.cotenant.cli.terminal.Console;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.stream.Stream;

/** A command that was run in this process, and what it left. */
record CommandRun(int exitCode, String out, String err) {
  private static final ObjectReader JSON = JsonMapper.builder().build().readerFor(JsonNode.class);

  static CommandRun of(Object... arguments) {
    return ofWidth(Integer.MAX_VALUE, arguments);
  }

  /** On a terminal of this width. */
  static CommandRun ofWidth(int characters, Object... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    Console console =
        Console.ofWriters(new PrintWriter(out), new PrintWriter(err)).ofWidth(characters);
    String[] texts = Stream.of(arguments).map(String::valueOf).toArray(String[]::new);
    int exitCode = Main.run(texts, console);
    console.out().flush();
    console.err().flush();
    return new CommandRun(exitCode, out.toString(), err.toString());
  }

  /** Every line of standard output as JSON; anything else there fails. */
  List<JsonNode> json() {
    return out.lines().map(CommandRun::parse).toList();
  }

  /** The one line of standard output of a command that succeeded. */
  JsonNode only() {
    assertThat(exitCode).as(err).isZero();
    assertThat(json()).hasSize(1);
    return json().getFirst();
  }

  List<String> errorLines() {
    return err.lines().toList();
  }

  static List<String> keys(JsonNode object) {
    return object.properties().stream().map(java.util.Map.Entry::getKey).toList();
  }

  private static JsonNode parse(String line) {
    try {
      return JSON.readTree(line);
    } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }
}
