/** What is planned for a whole fleet, the plans, and what is predicted of them. */
@NullMarked
package dev.cotenant.placement.fleet;

import org.jspecify.annotations.NullMarked;
