package dev.cotenant.admission.policy;

import java.io.Serial;

/** A value of a policy that is out of its range. */
public final class BadPolicyValueException extends IllegalArgumentException {
  @Serial private static final long serialVersionUID = 1;

  private final String key;
  private final String rule;

  BadPolicyValueException(String key, String rule) {
    super(key + " " + rule);
    this.key = key;
    this.rule = rule;
  }

  /** The key of the value, within its policy: {@code guard-time}. */
  public String key() {
    return key;
  }

  /** What the value must be and is: {@code must be from PT1M to PT1H, is PT0S}. */
  public String rule() {
    return rule;
  }
}
