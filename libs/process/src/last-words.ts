/**
 * A line about this process itself from before its log is open, or after it was closed: JSON as in the log, so that whoever collects it
 * does not drop what ended the process; plain text for a person at a terminal.
 */
export function lastWords(level: 'ERROR' | 'FATAL', component: string, message: string, out = process.stderr): void {
  const timestamp = new Date().toISOString();
  out.write(out.isTTY ? `${message}\n` : `${JSON.stringify({ level, timestamp, component, message })}\n`);
}
