package dev.cotenant.service.rest.learning;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cotenant.engine.profile.ProfileFields;
import dev.cotenant.engine.profile.StoredProfile;
import dev.cotenant.service.serving.ServingReports;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Profile rows as REST shows them. */
final class ProfileViews {
  private ProfileViews() {}

  /**
   * A row that was not taken.
   *
   * @param line of the CSV, or the place in the JSON array from 1
   * @param reason one line
   */
  record RejectedView(@JsonProperty("line") long line, @JsonProperty("reason") String reason) {}

  /**
   * Outcome of added rows.
   *
   * @param ignored columns of a CSV that mean nothing
   */
  record AddedView(
      @JsonProperty("received") int received,
      @JsonProperty("added") int added,
      @JsonProperty("duplicates") int duplicates,
      @JsonProperty("rejected") List<RejectedView> rejected,
      @JsonProperty("ignored_columns") List<String> ignored) {
    AddedView {
      rejected = List.copyOf(rejected);
      ignored = List.copyOf(ignored);
    }

    /** Of starts of servers, one result for each place in the document. */
    static AddedView of(List<ServingReports.Result> results) {
      int added = 0;
      int duplicates = 0;
      List<RejectedView> rejected = new ArrayList<>();
      for (int i = 0; i < results.size(); i++) {
        ServingReports.Result result = results.get(i);
        added += result.added();
        duplicates += result.duplicates();
        for (String reason : result.rejected()) {
          rejected.add(new RejectedView(i + 1L, reason));
        }
      }
      return new AddedView(
          added + duplicates + rejected.size(), added, duplicates, rejected, List.of());
    }
  }

  /** How many rows were withdrawn. */
  record WithdrawnView(@JsonProperty("withdrawn") int withdrawn) {}

  /**
   * A stored row.
   *
   * @param namespace whose predictions alone it moves; empty for all
   */
  record ProfileView(
      @JsonProperty("number") long number,
      @JsonProperty("content_hash") String contentHash,
      @JsonProperty("namespace") String namespace,
      @JsonProperty("received_at") String receivedAt,
      @JsonProperty("held_out") boolean heldOut,
      @JsonProperty("fields") Map<String, String> fields) {
    static ProfileView of(StoredProfile profile) {
      return new ProfileView(
          profile.number(),
          profile.contentHash(),
          profile.namespace(),
          profile.receivedAt().toString(),
          profile.isHeldOut(),
          ProfileFields.of(profile.row()));
    }
  }

  /**
   * A page of rows.
   *
   * @param count of all rows
   * @param next value of {@code after} for the next page; unchanged at the end
   */
  record PageView(
      @JsonProperty("count") long count,
      @JsonProperty("profiles") List<ProfileView> profiles,
      @JsonProperty("next") long next) {
    PageView {
      profiles = List.copyOf(profiles);
    }
  }
}
