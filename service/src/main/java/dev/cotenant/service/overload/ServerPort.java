package dev.cotenant.service.overload;

import io.netty.channel.AbstractServerChannel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.MaxMessagesRecvByteBufAllocator;
import io.netty.channel.nio.NioEventLoop;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.io.IOException;
import java.net.SocketAddress;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * A listening channel whose socket can be closed for a while and opened again at the same address.
 * Meanwhile the kernel refuses connections, which costs this process nothing; connections that
 * stand go on. Shut and opened on its event loop alone.
 */
final class ServerPort extends AbstractServerChannel {
  private static final Logger LOG = Logger.getLogger(ServerPort.class);

  private volatile NioServerSocketChannel socket = new NioServerSocketChannel();
  private volatile @Nullable SocketAddress address;
  private volatile boolean closed;
  private boolean failed;

  /** Closes the socket, with the connections that wait to be accepted. */
  void shut() {
    if (isActive()) {
      ChannelFuture _ = socket.close();
    }
  }

  boolean isShut() {
    return isActive() && !socket.isOpen();
  }

  /** Listens again; where that fails, a further call tries again. */
  void open() {
    SocketAddress at = address;
    if (!isShut() || at == null) {
      return;
    }
    try {
      NioServerSocketChannel next = new NioServerSocketChannel();
      copy(ChannelOption.SO_BACKLOG, next);
      listen(next, at);
      socket = next;
      failed = false;
    } catch (IOException | ChannelException e) {
      if (!failed) {
        LOG.warnf("cannot listen on %s again, will retry: %s", at, e.getMessage());
      }
      failed = true;
    }
  }

  private <T> void copy(ChannelOption<T> option, NioServerSocketChannel next) {
    next.config().setOption(option, socket.config().getOption(option));
  }

  /** Accepts one connection per read, so that the port can close after a refusal. */
  private void listen(NioServerSocketChannel next, SocketAddress at) throws IOException {
    next.pipeline().addLast(new Forward());
    MaxMessagesRecvByteBufAllocator accepted = next.config().getRecvByteBufAllocator();
    accepted.maxMessagesPerRead(1);
    try {
      await(eventLoop().register(next));
      await(next.bind(at));
    } catch (IOException e) {
      ChannelFuture _ = next.close();
      throw e;
    }
  }

  /** On the event loop both are done when they return. */
  private static void await(ChannelFuture done) throws IOException {
    if (done.cause() instanceof IOException taken) {
      throw taken;
    }
    if (!done.isSuccess()) {
      throw new IOException("not registered", done.cause());
    }
  }

  @Override
  protected void doBind(SocketAddress local) throws IOException {
    listen(socket, local);
    address = socket.localAddress();
  }

  @Override
  protected void doClose() {
    closed = true;
    ChannelFuture _ = socket.close();
  }

  /** The socket reads by itself. */
  @Override
  protected void doBeginRead() {}

  @Override
  protected boolean isCompatible(EventLoop loop) {
    return loop instanceof NioEventLoop;
  }

  @Override
  protected @Nullable SocketAddress localAddress0() {
    return address;
  }

  @Override
  public ChannelConfig config() {
    return socket.config();
  }

  @Override
  public boolean isOpen() {
    return !closed;
  }

  @Override
  public boolean isActive() {
    return address != null && !closed;
  }

  /** Gives the accepted connections of the socket to the handlers of the port. */
  private final class Forward extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object accepted) {
      pipeline().fireChannelRead(accepted);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
      pipeline().fireChannelReadComplete();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      pipeline().fireExceptionCaught(cause);
    }
  }
}
