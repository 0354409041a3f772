package dev.cotenant.service.overload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.nio.NioEventLoopGroup;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A port whose connections send back what they get. */
class ServerPortTest {
  private static final InetAddress HOST = InetAddress.getLoopbackAddress();

  private final NioEventLoopGroup loops = new NioEventLoopGroup(1);
  private ServerPort port;
  private int number;

  @ChannelHandler.Sharable
  private static final class Echo extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object bytes) {
      ChannelFuture _ = context.writeAndFlush(bytes);
    }
  }

  @BeforeEach
  void listen() throws Exception {
    port =
        (ServerPort)
            new ServerBootstrap()
                .group(loops)
                .channelFactory(ServerPort::new)
                .option(ChannelOption.SO_BACKLOG, 64)
                .childHandler(new Echo())
                .bind(HOST, 0)
                .sync()
                .channel();
    number = ((InetSocketAddress) port.localAddress()).getPort();
  }

  @AfterEach
  void end() throws InterruptedException {
    loops.shutdownGracefully().sync();
  }

  /** Gives control back once the socket is closed, which the selector does after the task. */
  private void onLoop(Runnable action) throws Exception {
    port.eventLoop().submit(action).sync();
    port.eventLoop().submit(() -> {}).sync();
  }

  private static boolean isAnswered(Socket socket) throws IOException {
    socket.setSoTimeout(60_000);
    socket.getOutputStream().write(7);
    return socket.getInputStream().read() == 7;
  }

  private void awaitRefusal() throws InterruptedException {
    for (int attempt = 0; attempt < 600; attempt++) {
      try (Socket socket = new Socket(HOST, number)) {
        assertThat(socket.isConnected()).isTrue(); // the selector has not closed it yet
        Thread.sleep(100);
      } catch (ConnectException refused) {
        return;
      } catch (IOException reset) {
        Thread.sleep(100);
      }
    }
    throw new AssertionError("the port takes connections");
  }

  @Test
  void refusesWhileItIsShutAndLetsStandingConnectionsGoOn() throws Exception {
    try (Socket standing = new Socket(HOST, number)) {
      assertThat(isAnswered(standing)).isTrue();
      onLoop(port::shut);
      awaitRefusal();
      assertThat(port.isShut()).isTrue();
      assertThat(port.isActive()).isTrue();
      assertThat(isAnswered(standing)).isTrue();
      onLoop(port::open);
      try (Socket later = new Socket(HOST, number)) {
        assertThat(isAnswered(later)).isTrue();
      }
      assertThat(isAnswered(standing)).isTrue();
      assertThat(port.config().getOption(ChannelOption.SO_BACKLOG)).isEqualTo(64);
    }
  }

  @Test
  void triesAgainWhereAnotherSocketHasTheAddress() throws Exception {
    onLoop(port::shut);
    awaitRefusal();
    try (ServerSocket other = new ServerSocket(number, 1, HOST)) {
      onLoop(port::open);
      assertThat(other.isBound()).isTrue();
      assertThat(port.isShut()).isTrue();
    }
    onLoop(port::open);
    try (Socket socket = new Socket(HOST, number)) {
      assertThat(isAnswered(socket)).isTrue();
    }
  }

  @Test
  void staysClosedOnceItIsClosed() throws Exception {
    port.close().sync();
    onLoop(port::open);
    awaitRefusal();
    assertThat(port.isOpen()).isFalse();
    assertThat(port.isShut()).isFalse();
  }

  @Test
  void failsWhereTheAddressIsTaken() {
    assertThatThrownBy(() ->
            new ServerBootstrap()
                .group(loops)
                .channelFactory(ServerPort::new)
                .childHandler(new Echo())
                .bind(HOST, number)
                .sync())
        .hasMessageContaining("in use");
  }
}
