const LOUD = /^\{"level":"(WARN|ERROR|FATAL)"/;

/**
 * Standard output of an app that talks to a person: of the log only what needs attention, the file has all of it. Who sets
 * LOG_LEVEL wants the lines, and gets them.
 */
export const QUIET_CONSOLE = {
  write: (line: string): unknown => (LOUD.test(line) ? process.stdout.write(line) : undefined),
};
