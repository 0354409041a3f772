package dev.cotenant.service.intake;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.vertx.core.impl.transports.JDKTransport;
import io.vertx.core.net.NetServerOptions;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Sockets of the JDK whose listeners accept connections within bounds. Vert.x has no other place
 * where every listener, the framework's too, can refuse a connection before its TLS handshake.
 */
public final class IntakeTransport extends JDKTransport {
  private static final long SWEEP_MILLIS = 100;

  private final Supplier<Optional<Intake>> intake;

  /**
   * @param intake the bounds, once a listener opens; empty where there are none
   */
  public IntakeTransport(Supplier<Optional<Intake>> intake) {
    this.intake = intake;
  }

  @Override
  public void configure(NetServerOptions options, boolean domainSocket, ServerBootstrap bootstrap) {
    super.configure(options, domainSocket, bootstrap);
    intake
        .get()
        .map(bounds -> bounds.listener(options.isSsl() ? "https" : "http"))
        .ifPresent(limits -> bootstrap.handler(new Acceptor(limits)));
  }

  /** The handler of a listening channel: the messages that it reads are accepted connections. */
  private static final class Acceptor extends ChannelInboundHandlerAdapter {
    private final ConnectionLimits limits;

    private Acceptor(ConnectionLimits limits) {
      this.limits = limits;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
      var sweeping =
          context
              .executor()
              .scheduleAtFixedRate(
                  limits::sweep, SWEEP_MILLIS, SWEEP_MILLIS, TimeUnit.MILLISECONDS);
      context.channel().closeFuture().addListener(_ -> sweeping.cancel(false));
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
  }
}
