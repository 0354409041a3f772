package dev.cotenant.service.overload;

import dev.cotenant.admission.supervision.Loop;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ServerChannel;
import io.vertx.core.impl.transports.JDKTransport;
import io.vertx.core.net.NetServerOptions;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;

/**
 * Sockets of the JDK whose listeners accept connections within bounds. Vert.x has no other place
 * where every listener, the framework's too, can refuse a connection before its TLS handshake.
 */
public final class OverloadTransport extends JDKTransport {
  /**
   * Deadlines are seconds. A port that the kernel refuses for is opened again at the latest, so
   * that others than those that were refused can connect.
   */
  private static final int MEASUREMENTS_PER_SWEEP = 5;

  private final Supplier<Optional<LoadShedding>> loadShedding;

  /**
   * @param loadShedding the bounds, once a listener opens; empty where there are none
   */
  public OverloadTransport(Supplier<Optional<LoadShedding>> loadShedding) {
    this.loadShedding = loadShedding;
  }

  @Override
  public void configure(NetServerOptions options, boolean domainSocket, ServerBootstrap bootstrap) {
    super.configure(options, domainSocket, bootstrap);
    String listener = options.isSsl() ? "https" : "http";
    loadShedding
        .get()
        .ifPresent(bounds ->
            bootstrap.handler(
                new Acceptor(listener, bounds, bounds.isOfWebhooks(options.getPort()))));
  }

  @Override
  public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean domainSocket) {
    return domainSocket ? super.serverChannelFactory(true) : ServerPort::new;
  }

  /** The handler of a listening port: the messages that it reads are accepted connections. */
  private static final class Acceptor extends ChannelInboundHandlerAdapter {
    private final String listener;
    private final LoadShedding bounds;
    private final ConnectionLimits limits;
    private final boolean ofWebhooks;
    private int measurements;
    private OptionalLong resets = OptionalLong.empty();

    private Acceptor(String listener, LoadShedding bounds, boolean ofWebhooks) {
      this.listener = listener;
      this.bounds = bounds;
      limits = bounds.listener(listener, ofWebhooks);
      this.ofWebhooks = ofWebhooks;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
      ServerPort port = (ServerPort) context.channel();
      Loop watch = bounds.watch(listener, () -> look(port));
      port.closeFuture().addListener(_ -> watch.close());
    }

    private void look(ServerPort port) {
      measurements = (measurements + 1) % MEASUREMENTS_PER_SWEEP;
      boolean sweep = measurements == 0;
      limits.measure();
      if (sweep) {
        limits.sweep();
      }
      if (port.isShut() && (sweep || !limits.isBusy())) {
        port.eventLoop().execute(() -> open(port));
      }
    }

    private void open(ServerPort port) {
      if (port.isShut()) {
        port.open();
        limits.reopened();
        count();
      }
    }

    /** Counts what the kernel refused since it was counted last. */
    private void count() {
      OptionalLong now = KernelResets.sent();
      if (now.isPresent() && resets.isPresent()) {
        limits.shed(ShedCause.KERNEL, now.getAsLong() - resets.getAsLong());
      }
      resets = now;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object accepted) {
      Channel channel = (Channel) accepted;
      limits
          .admit(channel)
          .ifPresentOrElse(
              connection -> {
                channel.pipeline().addLast(connection);
                context.fireChannelRead(channel);
              },
              () -> {
                channel.config().setOption(ChannelOption.SO_LINGER, 0);
                channel.unsafe().closeForcibly(); // no event loop has it yet
              });
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
      ServerPort port = (ServerPort) context.channel();
      if (ofWebhooks && !port.isShut() && limits.isFlooded()) {
        resets = KernelResets.sent();
        if (resets.isPresent()) { // else nothing would count what is refused
          port.shut();
        }
      }
      context.fireChannelReadComplete();
    }
  }
}
