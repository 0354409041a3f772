package dev.cotenant.service;

import dev.cotenant.admission.supervision.Supervisor;
import dev.cotenant.domain.InputException;
import dev.cotenant.engine.lifecycle.StoreException;
import dev.cotenant.service.configuration.ServiceSettings;
import dev.cotenant.service.lifecycle.LifeCyclePoller;
import dev.cotenant.service.store.Database;
import jakarta.inject.Singleton;

/**
 * Opens and closes the database. An embedded one that cannot be opened ends the start: its
 * directory is wrong or another process uses it. An unreachable server does not: the shipped
 * versions serve until it is back.
 */
@Singleton
final class Storage {
  private final ServiceSettings settings;
  private final Database database;
  private final LifeCyclePoller poller;
  private final Supervisor supervisor;

  Storage(
      ServiceSettings settings, Database database, LifeCyclePoller poller, Supervisor supervisor) {
    this.supervisor = supervisor;
    this.settings = settings;
    this.database = database;
    this.poller = poller;
  }

  void start() {
    if (settings.database().url().isEmpty()) {
      requireUsable();
    }
    poller.start(settings.databaseInterval(), supervisor);
  }

  private void requireUsable() {
    try {
      database.check();
    } catch (StoreException e) {
      throw new InputException(
          InputException.Kind.NOT_FOUND, "unusable-database", String.valueOf(e.getMessage()), e);
    }
  }

  void stop() {
    poller.close();
    database.close();
  }
}
