/** The operations that users call, composed without a framework. */
@NullMarked
package dev.cotenant.engine;

import org.jspecify.annotations.NullMarked;
