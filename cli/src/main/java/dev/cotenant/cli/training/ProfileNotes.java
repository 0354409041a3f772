package dev.cotenant.cli.training;

import dev.cotenant.cli.terminal.Words;
import dev.cotenant.domain.profile.Measurement;
import dev.cotenant.domain.profile.ProfileRow;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What measured runs are of, counted. */
final class ProfileNotes {
  private ProfileNotes() {}

  static Map<String, String> of(List<ProfileRow> rows) {
    Map<String, String> notes = new LinkedHashMap<>();
    notes.put("by family", counts(rows, ProfileRow::family));
    notes.put("by device", counts(rows, row -> row.device().value()));
    notes.put("by mode", counts(rows, row -> row.settings().mode().toString()));
    notes.put("by quality", counts(rows, row -> words(row.quality())));
    notes.put("by identity", counts(rows, row -> words(row.identity())));
    notes.put("by licence", counts(rows, row -> row.licence().label()));
    notes.put("measured", measured(rows));
    return notes;
  }

  private static String words(ProfileRow.Quality quality) {
    return switch (quality) {
      case CLEAN -> "clean";
      case SUSPECTED_CRASH -> "suspected crash";
    };
  }

  private static String words(ProfileRow.Identity identity) {
    return switch (identity) {
      case STATED -> "stated";
      case INFERRED_FROM_MEMORY -> "inferred from its memory";
    };
  }

  private static String counts(List<ProfileRow> rows, Function<ProfileRow, String> group) {
    Map<String, Long> counts =
        rows.stream().collect(Collectors.groupingBy(group, TreeMap::new, Collectors.counting()));
    return words(counts);
  }

  private static String measured(List<ProfileRow> rows) {
    Map<String, Long> counts = new LinkedHashMap<>();
    counts.put("utilization", having(rows, Measurement::utilization));
    counts.put("maximum utilization", having(rows, Measurement::maximumUtilization));
    counts.put("SM activity", having(rows, Measurement::smActivity));
    counts.put("SM occupancy", having(rows, Measurement::smOccupancy));
    counts.put("peak memory", having(rows, Measurement::peakMemory));
    counts.put("step time", having(rows, Measurement::stepTime));
    counts.values().removeIf(count -> count == 0);
    return words(counts);
  }

  private static long having(
      List<ProfileRow> rows, Function<Measurement, @Nullable Object> quantity) {
    return rows.stream().filter(row -> quantity.apply(row.measurement()) != null).count();
  }

  private static String words(Map<String, Long> counts) {
    return counts.entrySet().stream()
        .map(entry -> entry.getKey() + " " + Words.count(entry.getValue()))
        .collect(Collectors.joining(", "));
  }
}
