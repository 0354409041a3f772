/** Recordings from files: tables of jobs and published traces. */
@NullMarked
package dev.cotenant.simulator.recording;

import org.jspecify.annotations.NullMarked;
