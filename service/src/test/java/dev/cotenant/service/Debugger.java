package dev.cotenant.service;

import com.sun.jdi.ArrayReference;
import com.sun.jdi.ArrayType;
import com.sun.jdi.Bootstrap;
import com.sun.jdi.ClassNotLoadedException;
import com.sun.jdi.ClassType;
import com.sun.jdi.IncompatibleThreadStateException;
import com.sun.jdi.InvalidTypeException;
import com.sun.jdi.InvocationException;
import com.sun.jdi.Method;
import com.sun.jdi.ObjectReference;
import com.sun.jdi.ThreadReference;
import com.sun.jdi.VMDisconnectedException;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.AttachingConnector;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.connect.IllegalConnectorArgumentsException;
import com.sun.jdi.event.BreakpointEvent;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.request.BreakpointRequest;
import com.sun.jdi.request.EventRequest;
import dev.cotenant.admission.supervision.Supervisor;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** What a debugger does to a process from outside: stopped threads, late writes, taken memory. */
final class Debugger {
  private static final int CHUNK = 4 << 20;

  /** Of a disk that is far too busy. */
  private static final Duration DELAY = Duration.ofMillis(100);

  private final VirtualMachine machine;
  private final List<ArrayReference> taken = new ArrayList<>();

  private Debugger(VirtualMachine machine) {
    this.machine = machine;
    Thread.startVirtualThread(this::delay);
  }

  /** The option of a process that lets a debugger in. */
  static String option(int port) {
    return "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:" + port;
  }

  static Debugger attach(int port) throws IOException, IllegalConnectorArgumentsException {
    AttachingConnector sockets =
        Bootstrap.virtualMachineManager().attachingConnectors().stream()
            .filter(connector -> connector.transport().name().equals("dt_socket"))
            .findFirst()
            .orElseThrow();
    Map<String, Connector.Argument> arguments = sockets.defaultArguments();
    Objects.requireNonNull(arguments.get("hostname"))
        .setValue(InetAddress.getLoopbackAddress().getHostAddress());
    Objects.requireNonNull(arguments.get("port")).setValue(String.valueOf(port));
    return new Debugger(sockets.attach(arguments));
  }

  VirtualMachine machine() {
    return machine;
  }

  ThreadReference thread(String name) {
    return machine.allThreads().stream()
        .filter(thread -> thread.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  /** A new error, which the watchdog's thread makes at its next look. */
  ObjectReference error(Class<? extends Error> type) {
    CompletableFuture<ObjectReference> made = new CompletableFuture<>();
    Method look =
        machine
            .classesByName(Supervisor.class.getName())
            .getFirst()
            .methodsByName("look")
            .getFirst();
    BreakpointRequest request =
        machine.eventRequestManager().createBreakpointRequest(look.location());
    request.setSuspendPolicy(EventRequest.SUSPEND_EVENT_THREAD);
    request.putProperty(
        ObjectReference.class,
        (Deed)
            thread -> {
              request.disable();
              made.complete(make(type, thread));
            });
    request.enable();
    return made.orTimeout(1, TimeUnit.MINUTES).join();
  }

  private ObjectReference make(Class<? extends Error> type, ThreadReference thread) {
    ClassType errors = (ClassType) machine.classesByName(type.getName()).getFirst();
    try {
      ObjectReference error =
          errors.newInstance(
              thread,
              errors.concreteMethodByName("<init>", "()V"),
              List.of(),
              ClassType.INVOKE_SINGLE_THREADED);
      error.disableCollection();
      return error;
    } catch (InvalidTypeException
        | ClassNotLoadedException
        | IncompatibleThreadStateException
        | InvocationException e) {
      throw new IllegalStateException(e);
    }
  }

  /** What a thread does at a breakpoint. */
  private interface Deed {
    void by(ThreadReference thread);
  }

  /** An error that the Java runtime has made in case there is no memory for one. */
  ObjectReference outOfMemory() {
    return machine
        .classesByName(OutOfMemoryError.class.getName())
        .getFirst()
        .instances(1)
        .getFirst();
  }

  /** Each write to a file and each flush to the disk takes longer, until all is let be. */
  void slowDown() {
    for (Method method : writes().toList()) {
      BreakpointRequest request =
          machine.eventRequestManager().createBreakpointRequest(method.location());
      request.setSuspendPolicy(EventRequest.SUSPEND_EVENT_THREAD);
      request.enable();
    }
  }

  private Stream<Method> writes() {
    return machine.classesByName("sun.nio.ch.FileChannelImpl").stream()
        .flatMap(type ->
            Stream.concat(
                type.methodsByName("write").stream(), type.methodsByName("force").stream()))
        .filter(method -> !method.isAbstract());
  }

  private void delay() {
    try {
      while (true) {
        EventSet events = machine.eventQueue().remove();
        Thread.startVirtualThread(() -> resume(events));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (VMDisconnectedException e) {
      // the process has ended
    }
  }

  private static void resume(EventSet events) {
    try {
      for (Event event : events) {
        if (event instanceof BreakpointEvent at
            && at.request().getProperty(ObjectReference.class) instanceof Deed deed) {
          deed.by(at.thread());
        } else {
          Thread.sleep(DELAY);
        }
      }
      events.resume();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (VMDisconnectedException e) {
      // the process has ended
    }
  }

  /** Takes so much of the heap away until all is let be. */
  void take(long bytes) {
    ArrayType type = (ArrayType) machine.classesByName("byte[]").getFirst();
    for (long have = 0; have < bytes; have += CHUNK) {
      ArrayReference chunk = type.newInstance(CHUNK);
      chunk.disableCollection();
      taken.add(chunk);
    }
  }

  /** Nothing is slow, and nothing is taken any more. */
  void letBe() {
    machine.eventRequestManager().deleteAllBreakpoints();
    taken.forEach(ArrayReference::enableCollection);
    taken.clear();
  }
}
