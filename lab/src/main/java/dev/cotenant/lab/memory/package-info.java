/** Pods whose memory was recorded, arriving one by one. */
@NullMarked
package dev.cotenant.lab.memory;

import org.jspecify.annotations.NullMarked;
