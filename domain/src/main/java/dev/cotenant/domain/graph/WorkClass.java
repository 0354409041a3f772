package dev.cotenant.domain.graph;

import java.util.Locale;

/** Kinds of multiply-accumulates, which reach different shares of a device's peak rate. */
public enum WorkClass {
  /** Convolution in one group. */
  CONVOLUTION,
  /** Convolution in several groups of several channels. */
  GROUPED_CONVOLUTION,
  /** Convolution with a group for every input channel. */
  DEPTHWISE_CONVOLUTION,
  /** Product with a stored weight. */
  LINEAR,
  /** The two products of attention: queries with keys, and their softmax with values. */
  ATTENTION,
  /** Product of two computed tensors outside of attention. */
  MATRIX_PRODUCT,
  /** Input and state products of LSTM, GRU and RNN. */
  RECURRENT;

  /** Its key in JSON, such as {@code depthwise_convolution}. */
  public String key() {
    return name().toLowerCase(Locale.ROOT);
  }
}
