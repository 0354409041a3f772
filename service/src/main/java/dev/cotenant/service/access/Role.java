package dev.cotenant.service.access;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** Rights of callers, as a ClusterRole of the chart or as a role in the tokens file. */
public enum Role {
  /** Reads. */
  VIEWER,
  /** Creates predictions, plans, decisions and reservations; adds models, rows and predictors. */
  EDITOR,
  /** Everything: trains, promotes, rolls back. */
  OPERATOR,
  /** Calls the scheduler extender and nothing else. */
  SCHEDULER;

  /** Whether this role may do what takes at least another. */
  boolean includes(Role least) {
    return switch (this) {
      case OPERATOR -> true;
      case EDITOR -> least == EDITOR || least == VIEWER;
      case VIEWER, SCHEDULER -> least == this;
    };
  }

  /** The role of a name in lower case. */
  static Optional<Role> named(String name) {
    return Arrays.stream(values()).filter(role -> role.toString().equals(name)).findFirst();
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
