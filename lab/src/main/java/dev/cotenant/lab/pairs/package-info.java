/** Training jobs whose colocation was measured, arriving one by one. */
@NullMarked
package dev.cotenant.lab.pairs;

import org.jspecify.annotations.NullMarked;
