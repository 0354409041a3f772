package dev.cotenant.service.intake;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.util.AttributeKey;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.impl.ConnectionBase;
import java.time.Duration;

/**
 * One accepted connection: its stage, and until when it may stay there. It is the first handler of
 * the channel, so that it sees bytes before TLS does. The stage changes on the channel's event loop
 * alone.
 */
public final class Connection extends ChannelInboundHandlerAdapter {
  private static final AttributeKey<Connection> KEY = AttributeKey.valueOf(Connection.class, "of");

  /** What the connection is waited for, or waits for. */
  enum Stage {
    /** The TLS handshake and the first head. */
    UNPROVEN,
    /** The head of a further request, of which bytes arrived. */
    HEAD,
    BODY,
    ANSWER,
    /** A further request. */
    IDLE
  }

  /** Stage, when it began and when it ends by {@link System#nanoTime}. */
  record Standing(Stage stage, long since, long until) {
    boolean isOver(long now) {
      return now - until >= 0;
    }
  }

  private final Channel channel;
  private final Object peer;
  private final ConnectionLimits limits;
  private volatile Standing standing;
  private long exchange;
  private boolean answered;

  Connection(Channel channel, Object peer, ConnectionLimits limits) {
    this.channel = channel;
    this.peer = peer;
    this.limits = limits;
    standing = standing(Stage.UNPROVEN, limits.deadlines().head());
    channel.attr(KEY).set(this);
  }

  /**
   * The connection that a request came by.
   *
   * @throws IllegalStateException where its listener has no bounds: a defect
   */
  public static Connection of(HttpServerRequest request) {
    Channel channel = ((ConnectionBase) request.connection()).channel();
    Connection connection = channel.attr(KEY).get();
    if (connection == null) {
      throw new IllegalStateException(
          "the listener of " + channel.localAddress() + " is unbounded");
    }
    return connection;
  }

  Object peer() {
    return peer;
  }

  Standing standing() {
    return standing;
  }

  EventLoop loop() {
    return channel.eventLoop();
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object bytes) {
    if (standing.stage() == Stage.IDLE) {
      enter(Stage.HEAD, limits.deadlines().head());
    }
    context.fireChannelRead(bytes);
  }

  /** A request's head is there, whose answer ends with the response. */
  public void serve(HttpServerRequest request) {
    long number = began(request);
    request.response().endHandler(_ -> answered(number));
  }

  /** A request's head is there; gives the number for {@link #answered}. */
  public long began(HttpServerRequest request) {
    answered = false;
    enter(Stage.BODY, limits.deadlines().body());
    long number = ++exchange;
    request.end().onComplete(_ -> bodyEnded(number));
    return number;
  }

  /** The caller is known: the body gets the longer deadline. */
  public void trust() {
    inEventLoop(() -> {
      if (standing.stage() == Stage.BODY) {
        enter(Stage.BODY, limits.deadlines().request());
      }
    });
  }

  private void bodyEnded(long number) {
    if (number == exchange && standing.stage() == Stage.BODY) {
      if (answered) {
        enter(Stage.IDLE, limits.deadlines().idle());
      } else {
        enter(Stage.ANSWER, limits.deadlines().request());
      }
    }
  }

  /**
   * The answer to this request is written; what is left of the body keeps its deadline. Any thread
   * may call it.
   */
  public void answered(long number) {
    if (channel.eventLoop().inEventLoop()) {
      end(number);
    } else {
      inEventLoop(() -> end(number));
    }
  }

  private void end(long number) {
    if (number == exchange) {
      answered = true;
      if (standing.stage() == Stage.ANSWER) {
        enter(Stage.IDLE, limits.deadlines().idle());
      }
    }
  }

  /** Counts a request of this connection that is refused. */
  public void shed(ShedCause cause) {
    limits.shed(cause);
  }

  /** Cuts the connection where its stage took too long. */
  void cutIfOver() {
    Standing now = standing;
    if (now.isOver(System.nanoTime())) {
      if (now.stage() != Stage.IDLE) {
        limits.shed(ShedCause.DEADLINE);
      }
      cut();
    }
  }

  /** Closes the socket without the good-bye of TLS, which a peer could keep waiting. */
  void cut() {
    if (channel.isOpen()) {
      channel.config().setOption(ChannelOption.SO_LINGER, 0);
      ChannelFuture _ = channel.pipeline().firstContext().close();
    }
  }

  private void enter(Stage stage, Duration deadline) {
    if (standing.stage() == Stage.UNPROVEN) {
      limits.proven(this);
    }
    standing = standing(stage, deadline);
  }

  private static Standing standing(Stage stage, Duration deadline) {
    long now = System.nanoTime();
    return new Standing(stage, now, now + deadline.toNanos());
  }

  void inEventLoop(Runnable action) {
    channel.eventLoop().execute(action);
  }
}
