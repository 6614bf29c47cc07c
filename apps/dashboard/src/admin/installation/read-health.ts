import type { components } from '@weft/client';
import { plainApi } from '../../api/client';
import { toRefusal, unreachable } from '../../api/refusal';

type Report = components['schemas']['HealthReport'];

export interface Health {
  readonly report: Report;
  /** How far the server's clock is ahead of this browser's. */
  readonly skewMs: number;
  /** How long the answer took: the skew is not known better than this. */
  readonly wayMs: number;
}

/** A process that is not well answers with 503 and the same report. @throws Refusal */
export async function readHealth(): Promise<Health> {
  const sentAt = Date.now();
  const { data, error, response } = await plainApi.GET('/api/health').catch(() => {
    throw unreachable();
  });
  const report: unknown = data ?? error;
  const wayMs = Date.now() - sentAt;
  if (!isReport(report)) throw await toRefusal(response, report);
  return { report, wayMs, skewMs: Date.parse(report.timestamp) - (sentAt + wayMs / 2) };
}

function isReport(report: unknown): report is Report {
  return typeof report === 'object' && report !== null && 'checks' in report;
}
