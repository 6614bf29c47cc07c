import { isCronFault, readCronRule, parseDurationMs, type CronRule } from '@weft/engine';
import { WeftError, type ErrorCode, type FieldError } from '@weft/kernel';
import type { ScheduleFields } from '@weft/shapes';
import { assertValueFits } from '../http/value-size.js';

const CODES = { schedule: 'invalid_cron', timezone: 'invalid_timezone' } as const;

/** Bytes as JSON. All schedules of a company are one list, and each change keeps what was there before in the audit log. */
const MAX_ARGS_BYTES = 16 * 1024;

/** @throws WeftError `invalid_body` the args are too large */
export function assertArgsFit(args: unknown): void {
  assertValueFits('args', args, MAX_ARGS_BYTES);
}

/** @throws WeftError `invalid_cron`, `invalid_timezone`, `invalid_policy` */
export function checkedRule(fields: ScheduleFields, now: Date): CronRule {
  const rule = ruleOf(fields.schedule, fields.timezone, now);
  if (parseDurationMs(fields.missed_window) === null) {
    throw fault(
      'invalid_policy',
      'missed_window',
      `"${fields.missed_window}" is no duration: give an integer and m (minutes), d (days) or y (years), or 0.`,
    );
  }
  return rule;
}

/** @throws WeftError `invalid_cron`, `invalid_timezone` */
export function ruleOf(schedule: string, timezone: string, now: Date): CronRule {
  const rule = readCronRule(schedule, timezone, now);
  if (isCronFault(rule)) throw fault(CODES[rule.field], rule.field, rule.message);
  return rule;
}

function fault(code: ErrorCode, path: string, message: string): WeftError {
  const errors: FieldError[] = [{ path, code, message }];
  return new WeftError(code, message, { errors });
}
