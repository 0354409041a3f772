/** What is known about a tensor before anything runs, and how it is derived. */
@NullMarked
package dev.cotenant.features.inference;

import org.jspecify.annotations.NullMarked;
