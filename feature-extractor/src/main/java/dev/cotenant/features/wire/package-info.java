/** The protobuf wire format, read as a stream that skips what is not needed. */
@NullMarked
package dev.cotenant.features.wire;

import org.jspecify.annotations.NullMarked;
