import { MAX_REPORTED } from '../limits.js';
import type { Finding, ImportReport } from './plan.js';

const MAX_PATH = 300;
/** Warnings with the same reason that are listed, so that they hide no others. */
const MAX_OF_REASON = 20;
/** Warnings of which none is counted twice. */
const MAX_TOLD_APART = 20_000;

/** What an import reports. The same finding is reported once. */
export class Findings {
  private readonly skipped: Finding[] = [];
  private readonly warnings: Finding[] = [];
  private readonly seen = new Set<string>();
  private readonly ofReason = new Map<string, number>();
  private skippedCount = 0;
  private warningsCount = 0;

  skip(path: string, reason: string): void {
    this.skippedCount += 1;
    if (this.skipped.length < MAX_REPORTED) this.skipped.push(findingOf(path, reason));
  }

  /** To be passed on without its object. */
  readonly warn = (path: string, reason: string): void => {
    const key = `${path} ${reason}`;
    if (this.seen.has(key)) return;
    if (this.seen.size < MAX_TOLD_APART) this.seen.add(key);
    const before = this.ofReason.get(reason) ?? 0;
    if (before < MAX_OF_REASON && this.warnings.length < MAX_REPORTED) {
      this.ofReason.set(reason, before + 1);
      this.warnings.push(findingOf(path, reason));
    }
    this.warningsCount += 1;
  };

  report(operations: number): ImportReport {
    const { skipped, skippedCount, warnings, warningsCount } = this;
    return { operations, skipped, skippedCount, warnings, warningsCount };
  }
}

function findingOf(path: string, reason: string): Finding {
  return { path: path.length > MAX_PATH ? `${path.slice(0, MAX_PATH)}…` : path, reason };
}
