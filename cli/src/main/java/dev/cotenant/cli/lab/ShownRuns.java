package dev.cotenant.cli.lab;

import dev.cotenant.cli.terminal.Progress;
import dev.cotenant.lab.figure.Watch;
import dev.cotenant.lab.report.RunRecords;
import dev.cotenant.lab.requests.ServingTotals;
import dev.cotenant.simulator.world.Observer;
import dev.cotenant.simulator.world.Totals;

/**
 * Shows the progress of runs by the jobs that ended.
 *
 * @param records takes what reports need
 */
record ShownRuns(Progress progress, RunRecords records) implements Watch {
  @Override
  public void step(String text) {
    progress.step(text);
  }

  @Override
  public Observer starts(Run run) {
    return new Counted(run, records.starts(run));
  }

  @Override
  public void ended(Run run, Totals totals) {
    records.ended(run, totals);
  }

  @Override
  public void served(String table, String policy, ServingTotals totals) {
    records.served(table, policy, totals);
  }

  private final class Counted implements Observer {
    private final Run run;
    private final Observer observer;
    private long jobs;

    Counted(Run run, Observer observer) {
      this.run = run;
      this.observer = observer;
      show();
    }

    private void show() {
      double done = run.jobs() == 0 ? 0 : Math.min(1, (double) jobs / run.jobs());
      progress.step(run.policy(), (run.index() + done) / run.runs());
    }

    @Override
    public void ended(Ended job) {
      jobs++;
      show();
      observer.ended(job);
    }

    @Override
    public long nextSampleNanos() {
      return observer.nextSampleNanos();
    }

    @Override
    public void sampled(Sample sample) {
      observer.sampled(sample);
    }
  }
}
