package dev.cotenant.engine.lifecycle;

import dev.cotenant.domain.profile.ProfileRow;
import java.time.Instant;
import java.util.List;

/** Port: the cluster's own measured runs. Every method may throw StoreException. */
public interface ProfileStore {
  /**
   * Keeps rows, all or, when the store fails, none; a row whose content is there already is not
   * kept twice.
   *
   * @return for each row whether it was new
   */
  List<Boolean> add(List<ProfileRow> rows, Instant at);

  /** How many rows there are, with those that cannot be read any more. */
  long count();

  /**
   * At most {@code limit} rows with numbers beyond {@code after}, in their order; fewer only where
   * there are no more. Rows that cannot be read any more are passed over.
   */
  List<StoredProfile> page(long after, int limit);

  /** Every row that can be read, in their order. */
  default List<StoredProfile> all() {
    return page(0, Integer.MAX_VALUE);
  }
}
