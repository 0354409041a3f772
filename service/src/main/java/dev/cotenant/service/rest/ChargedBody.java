package dev.cotenant.service.rest;

import dev.cotenant.service.overload.OverloadBudget.Charge;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** A text charged to the budget of request bodies while it is read. */
final class ChargedBody extends FilterInputStream {
  private final Charge charge;
  private long charged;

  /**
   * @param charged bytes that were charged before they arrive
   */
  ChargedBody(InputStream body, Charge charge, long charged) {
    super(body);
    this.charge = charge;
    this.charged = charged;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
  }

  /**
   * {@inheritDoc}
   *
   * @throws OverloadedException where it exceeds the budget
   */
  @Override
  public int read(byte[] into, int offset, int length) throws IOException {
    int read = super.read(into, offset, length);
    if (read > 0) {
      charged -= read;
      if ((charged < 0 && !charge.receive(Math.min(read, -charged)))
          || !charge.read(into, offset, read)) {
        throw new OverloadedException();
      }
    }
    return read;
  }
}
