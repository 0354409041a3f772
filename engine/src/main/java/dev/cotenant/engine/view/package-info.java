/** The JSON that the command line and the REST interface share; every key carries its unit. */
@NullMarked
package dev.cotenant.engine.view;

import org.jspecify.annotations.NullMarked;
