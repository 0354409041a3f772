package dev.cotenant.service.overload;

import io.quarkus.arc.Arc;
import io.vertx.core.impl.VertxBuilder;
import io.vertx.core.spi.VertxServiceProvider;
import java.util.Optional;

/** Gives the framework's Vert.x the transport with bounds; found by the service loader. */
public final class OverloadTransportProvider implements VertxServiceProvider {
  @Override
  public void init(VertxBuilder builder) {
    if (!(builder.findTransport() instanceof OverloadTransport)) {
      builder.findTransport(new OverloadTransport(OverloadTransportProvider::running));
    }
  }

  /** The running service's bounds; they are made after Vert.x is and before a listener opens. */
  private static Optional<LoadShedding> running() {
    return Optional.ofNullable(Arc.container())
        .map(container -> container.instance(LoadShedding.class).get());
  }
}
