/** Framed, checksummed binary files of learned models. */
@NullMarked
package dev.cotenant.learning.file;

import org.jspecify.annotations.NullMarked;
