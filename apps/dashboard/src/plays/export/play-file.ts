import type { Play } from '../play';

export type ExportFormat = 'csv' | 'ndjson';

const COLUMNS = [
  'id',
  'flowId',
  'flow',
  'state',
  'trigger',
  'createdAt',
  'startedAt',
  'completedAt',
  'duration',
  'version',
  'priority',
  'triggeredBy',
  'idempotencyKey',
  'retryOf',
  'parentPlayId',
  'dueAt',
  'labels',
  'errorCode',
  'errorRef',
  'errorMessage',
] as const;

/** The first line of a file; NDJSON has none. */
export function headOf(format: ExportFormat): string {
  return format === 'csv' ? `${COLUMNS.join(',')}\r\n` : '';
}

/** The lines of these plays. */
export function linesOf(format: ExportFormat, plays: readonly Play[], flowName: (id: string) => string): string {
  return plays
    .map((play) => (format === 'csv' ? csvLine(play, flowName(play.flowId)) : `${JSON.stringify(play)}\n`))
    .join('');
}

function csvLine(play: Play, flow: string): string {
  const { error } = play;
  const labels = Object.entries(play.labels).map(([key, value]) => `${key}:${value}`);
  const values: Readonly<Record<string, unknown>> = {
    ...play,
    flow,
    labels: labels.join(' '),
    errorCode: error?.code,
    errorRef: error?.ref,
    errorMessage: error?.message,
  };
  return `${COLUMNS.map((column) => csvCell(values[column])).join(',')}\r\n`;
}

/** RFC 4180; semicolons separate cells where commas separate decimals. What a spreadsheet would take for a formula gets an apostrophe in front. */
function csvCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",;\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
