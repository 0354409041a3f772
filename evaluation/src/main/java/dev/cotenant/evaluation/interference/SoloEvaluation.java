package dev.cotenant.evaluation.interference;

import dev.cotenant.domain.colocation.SoloLatency;
import dev.cotenant.evaluation.Figures;
import dev.cotenant.evaluation.Scores;
import dev.cotenant.interference.fit.IgniterCurveFit;
import dev.cotenant.interference.partition.GpuState;
import dev.cotenant.interference.partition.MeasuredSolo;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.WorkloadProfile;
import dev.cotenant.interference.solo.LocallyWeightedRegression;
import dev.cotenant.interference.solo.SaturatingCurve;
import dev.cotenant.interference.solo.SoloCurve;
import dev.cotenant.interference.solo.SoloFit;
import dev.cotenant.interference.solo.SoloFit.Fitted;
import dev.cotenant.interference.solo.SoloPoint;
import dev.cotenant.interference.solo.SoloSurface;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** How wrong latencies alone are, learned from sixteen points a model, over every cell there is. */
final class SoloEvaluation {
  private final Profiles profiles;
  private final DeviceProfile device;

  SoloEvaluation(Profiles profiles, DeviceProfile device) {
    this.profiles = profiles;
    this.device = device;
  }

  /** Tests on {@code test} what was learned from the sixteen points in {@code train}. */
  void addTo(Figures figures, String protocol, List<SoloLatency> train, List<SoloLatency> test) {
    Map<String, Scores> scores = new LinkedHashMap<>();
    Map<String, Scores> unseen = new LinkedHashMap<>();
    for (String model : Profiles.models(test)) {
      List<SoloLatency> own =
          Profiles.sixteen(train.stream().filter(r -> r.model().equals(model)).toList());
      Set<SoloLatency> seen = Set.copyOf(own);
      Map<String, SoloCurve> curves = curves(model, MeasuredSolo.points(own));
      for (SoloLatency run : test) {
        if (run.model().equals(model)) {
          curves.forEach((name, curve) -> {
            double predicted = curve.millis(run.batch(), run.sharePercent());
            scores.computeIfAbsent(name, _ -> new Scores()).add(run.latencyMillis(), predicted);
            if (!seen.contains(run)) {
              unseen.computeIfAbsent(name, _ -> new Scores()).add(run.latencyMillis(), predicted);
            }
          });
        }
      }
    }
    scores.forEach((name, all) -> figures.addMape(protocol, name, all));
    unseen.forEach((name, all) -> figures.addMape(protocol + "-unseen-cells", name, all));
  }

  /** iGniter with the coefficients of these profiles, which were not made from {@code test}. */
  void addIgniter(Figures figures, String protocol, String name, List<SoloLatency> test) {
    Scores scores = new Scores();
    for (SoloLatency run : test) {
      profiles
          .profile(run.model())
          .map(profile -> igniter(profile).millis(run.batch(), run.sharePercent()))
          .filter(Double::isFinite)
          .ifPresent(millis -> scores.add(run.latencyMillis(), millis));
    }
    figures.addMape(protocol, name, scores);
  }

  private Map<String, SoloCurve> curves(String model, List<SoloPoint> points) {
    Map<String, SoloCurve> curves = new LinkedHashMap<>();
    profiles.profile(model).ifPresent(p -> curves.put("igniter-published", igniter(p)));
    put(curves, "inss-regression", LocallyWeightedRegression.of(points));
    if (IgniterCurveFit.fit(points) instanceof Fitted<WorkloadProfile.ActiveTime>(var time)) {
      curves.put("igniter-log-fit", time::millis);
    }
    put(curves, "saturating-curve", SaturatingCurve.fit(points));
    put(curves, "solo-surface", SoloSurface.fit(points));
    return curves;
  }

  private static <T extends SoloCurve> void put(
      Map<String, SoloCurve> curves, String name, SoloFit<T> fit) {
    if (fit instanceof Fitted<T>(T curve)) {
      curves.put(name, curve);
    }
  }

  private SoloCurve igniter(WorkloadProfile profile) {
    GpuState alone = new GpuState(device, 1);
    return (batch, share) -> {
      alone.clear();
      alone.place(profile, batch, share);
      return alone.evaluate() == GpuState.Status.VALID ? alone.latencyMillis(0) : Double.NaN;
    };
  }
}
