package dev.cotenant.service.overload;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.util.AttributeKey;
import io.netty.util.ReferenceCountUtil;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.impl.ConnectionBase;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One accepted connection: its stage, and until when it may stay there. It is the first handler of
 * the channel, so that it sees bytes before TLS does. The stage changes on the channel's event loop
 * alone.
 *
 * <p>Answers in flight are bounded too: a peer that sends requests without reading the answers, or
 * more than {@link #MAX_PIPELINED} at once, is cut. Clients of HTTP/1.1 in use send one at a time.
 */
public final class Connection extends ChannelInboundHandlerAdapter {
  private static final AttributeKey<Connection> KEY = AttributeKey.valueOf(Connection.class, "of");

  /** Requests without an answer; Vert.x queues the heads of all that follow the first. */
  static final int MAX_PIPELINED = 8;

  /** Stage of a connection. */
  enum Stage {
    /** The TLS handshake and the first head. */
    UNPROVEN,
    /** The head of a further request, of which bytes arrived. */
    HEAD,
    /** Token and right of the caller are reviewed; the body is not read. */
    REVIEW,
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
  private volatile boolean trusted;
  private long exchange;
  private boolean answered;
  private boolean counted;
  private int pipelined;
  private @Nullable Runnable onClose;

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

  /** The address of the peer. */
  public Object peer() {
    return peer;
  }

  Standing standing() {
    return standing;
  }

  /** Whether an event loop has the channel, and it is open. */
  boolean isRegistered() {
    return channel.isRegistered();
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
    boundPipelining();
    if (!channel.isWritable()) {
      limits.shed(ShedCause.BYTES); // the peer does not read the answers before
      cut();
    }
    answered = false;
    trusted = false;
    if (hasBody(request)) {
      enter(Stage.BODY, limits.deadlines().body());
    } else {
      enter(Stage.ANSWER, limits.deadlines().request());
    }
    long number = ++exchange;
    request.end().onComplete(_ -> bodyEnded(number));
    return number;
  }

  private static boolean hasBody(HttpServerRequest request) {
    return request.headers().contains(HttpHeaders.TRANSFER_ENCODING)
        || request.headers().contains(HttpHeaders.CONTENT_LENGTH);
  }

  /** The caller is reviewed, which has the longer deadline: the API server takes that time. */
  public void review() {
    enter(Stage.REVIEW, limits.deadlines().request());
  }

  /** The caller is known: the body gets the longer deadline. */
  public void trust() {
    inEventLoop(() -> {
      trusted = true;
      if (standing.stage() == Stage.BODY || standing.stage() == Stage.REVIEW) {
        enter(Stage.BODY, limits.deadlines().request());
      }
    });
  }

  private void bodyEnded(long number) {
    Stage stage = standing.stage();
    if (number == exchange && (stage == Stage.BODY || stage == Stage.REVIEW)) {
      if (answered) {
        enter(Stage.IDLE, limits.deadlines().idle());
      } else {
        enter(Stage.ANSWER, limits.deadlines().request());
      }
    }
  }

  /**
   * The answer to this request is written; the rest of the body keeps its deadline. Any thread may
   * call it.
   */
  public void answered(long number) {
    if (channel.eventLoop().inEventLoop()) {
      end(number);
    } else {
      inEventLoop(() -> end(number));
    }
  }

  private void end(long number) {
    if (number != exchange || answered) {
      return;
    }
    answered = true;
    pipelined = Math.max(0, pipelined - 1);
    switch (standing.stage()) {
      case ANSWER -> enter(Stage.IDLE, limits.deadlines().idle());
      case REVIEW -> enter(Stage.BODY, limits.deadlines().body());
      case UNPROVEN, HEAD, BODY, IDLE -> {}
    }
  }

  /** Runs once where the connection closes before another request sets its own; on the loop. */
  public void onClose(Runnable release) {
    if (channel.isActive()) {
      onClose = release;
    } else {
      release.run();
    }
  }

  void closed() {
    Runnable release = onClose;
    if (release != null) {
      onClose = null;
      release.run();
    }
  }

  /** The decoder stands in the pipeline from the first request on. */
  private void boundPipelining() {
    if (counted) {
      return;
    }
    ChannelHandlerContext decoder = channel.pipeline().context(HttpRequestDecoder.class);
    if (decoder != null) {
      counted = true;
      pipelined = 1;
      channel.pipeline().addAfter(decoder.name(), null, new Heads());
    }
  }

  /** Counts the heads of requests that wait for their answer. */
  private final class Heads extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      if (message instanceof HttpRequest && ++pipelined > MAX_PIPELINED) {
        limits.shed(ShedCause.CONNECTIONS);
        cut();
      }
      if (channel.isOpen()) {
        context.fireChannelRead(message);
      } else {
        ReferenceCountUtil.release(message);
      }
    }
  }

  /** Whether more connections are open than can have a review in progress. */
  public boolean isSurplus() {
    return limits.isSurplus();
  }

  /** Counts a request of this connection that is refused. */
  public void shed(ShedCause cause) {
    limits.shed(cause);
  }

  /** Whether a newcomer may take this place: nothing of a known caller is in progress. */
  boolean isSpare(long now, long slowNanos) {
    Standing at = standing;
    boolean slow = now - at.since() > slowNanos;
    return switch (at.stage()) {
      case IDLE -> slow && (channel.isWritable() || !trusted);
      case UNPROVEN, HEAD, BODY -> slow && !trusted;
      case REVIEW, ANSWER -> false;
    };
  }

  /** Whether its stage takes too long, or the peer does not read the last answer. */
  boolean isOver(long now) {
    Standing at = standing;
    Duration unread = trusted ? limits.deadlines().request() : limits.deadlines().body();
    return at.isOver(now)
        || (at.stage() == Stage.IDLE
            && !channel.isWritable()
            && now - at.since() > unread.toNanos());
  }

  /** Cuts the connection where its stage took too long. */
  void cutIfOver() {
    if (isOver(System.nanoTime())) {
      if (standing.stage() != Stage.IDLE || !channel.isWritable()) {
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
