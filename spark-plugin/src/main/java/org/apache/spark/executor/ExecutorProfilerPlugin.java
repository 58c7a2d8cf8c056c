package org.apache.spark.executor;

import dev.charcloth.spark.CharclothPlugin;

/** The name of Spark's profiler in the first previews of 4.0; a job configured for it records with Charcloth. */
public final class ExecutorProfilerPlugin extends CharclothPlugin {
}
