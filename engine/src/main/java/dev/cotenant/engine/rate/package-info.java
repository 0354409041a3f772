/** Request rates of services that state none, by what their pods served. */
@NullMarked
package dev.cotenant.engine.rate;

import org.jspecify.annotations.NullMarked;
