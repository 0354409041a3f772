/** How many requests come, and how many may come soon. */
@NullMarked
package dev.cotenant.serving.rate;

import org.jspecify.annotations.NullMarked;
