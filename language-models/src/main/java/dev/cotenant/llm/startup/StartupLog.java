package dev.cotenant.llm.startup;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the lines about memory that vLLM logs when it starts, with or without prefixes such as
 * {@code (EngineCore pid=245)}; every other line is skipped.
 *
 * @param starts that ended and are plausible
 * @param rejected one line per implausible start, with its position
 */
public record StartupLog(List<EngineStart> starts, List<String> rejected) {
  private static final int MAX_STARTS = 1_000;

  public StartupLog {
    starts = List.copyOf(starts);
    rejected = List.copyOf(rejected);
  }

  /**
   * Reads a log of any size in bounded memory.
   *
   * @param name of the file, for places
   */
  public static StartupLog read(InputStream in, String name) throws IOException {
    List<EngineStart> starts = new ArrayList<>();
    List<String> rejected = new ArrayList<>();
    LogLines lines = new LogLines(new BufferedInputStream(in, 1 << 16));
    @Nullable StartFacts open = null;
    long number = 0;
    for (String line = lines.next(); line != null; line = lines.next()) {
      number++;
      String version = StartFacts.version(line);
      if (version != null && (open == null || open.isBegun())) {
        end(open, starts, rejected);
        open = null;
      }
      if (open == null && version == null) {
        continue;
      }
      if (open == null) {
        open = new StartFacts(name + ":" + number);
      }
      open.add(line);
      if (starts.size() + rejected.size() >= MAX_STARTS) {
        rejected.add(
            name
                + ":"
                + number
                + ": more than "
                + MAX_STARTS
                + " starts; the rest is"
                + " not read");
        return new StartupLog(starts, rejected);
      }
    }
    end(open, starts, rejected);
    return new StartupLog(starts, rejected);
  }

  private static void end(
      @Nullable StartFacts open, List<EngineStart> starts, List<String> rejected) {
    if (open == null) {
      return;
    }
    String problem = open.problem();
    if (problem == null) {
      starts.add(open.start());
    } else {
      rejected.add(open.place() + ": " + problem);
    }
  }
}
