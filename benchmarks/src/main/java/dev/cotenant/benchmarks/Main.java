package dev.cotenant.benchmarks;

import java.io.IOException;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/** Runs benchmarks with JMH's own options, then prints one table over all of them. */
public final class Main {
  private Main() {}

  public static void main(String[] arguments)
      throws RunnerException, CommandLineOptionException, IOException {
    CommandLineOptions options = new CommandLineOptions(arguments);
    if (options.shouldHelp()) {
      options.showHelp();
      return;
    }
    ResultTable table = ResultTable.of(new Runner(withSamples(options).build()).run());
    if (!table.isEmpty()) {
      System.out.print(table);
    }
  }

  /** All available samples, unless arguments select some. */
  private static ChainedOptionsBuilder withSamples(CommandLineOptions options) {
    ChainedOptionsBuilder builder = new OptionsBuilder().parent(options);
    builder.addProfiler(GCProfiler.class);
    if (!options.getParameter("model").hasValue()) {
      builder.param("model", Sample.available());
    }
    if (!options.getParameter("weights").hasValue()) {
      builder.param("weights", Sample.availableWithWeights());
    }
    return builder;
  }
}
