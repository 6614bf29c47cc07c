const LOUD = /^\{"level":"(WARN|ERROR|FATAL)"/;

/**
 * Standard output of an app that talks to a person: only log lines that need attention; the file has all of them. If LOG_LEVEL
 * is set, it shows the lines of that level.
 */
export const QUIET_CONSOLE = {
  write: (line: string): unknown => (LOUD.test(line) ? process.stdout.write(line) : undefined),
};
