import { laneFault, MAX_QUEUE_NAME } from '@weft/engine';
import { WeftError } from '@weft/kernel';
import type { Labels } from '@weft/contracts';
import { OWN_KEYS, ownKeyPrefix } from '@weft/runs';
import { MAX_PRIORITY } from '@weft/shapes';
import { readBody } from '../../http/dto.pipe.js';
import { FreeObjectField, IntField, RawListField, TextField } from '../../http/fields.js';
import { ISO_TIME, readTime } from '../../http/iso-time.js';
import { assertLabels, LabelsField } from '../../http/labels.js';
import { assertValueFits, MAX_VALUE_BYTES } from '../../http/value-size.js';

/** A longer delay is a mistake; ms. */
const MAX_DELAY_MS = 366 * 24 * 3_600_000;
const MAX_KEY = 255;
const MAX_WAIT_MS = 30_000;
const MAX_BATCH = 1_000;
const MAX_VERSION = 1_000_000_000;
const WITHOUT_NUL = /^[^\x00]*$/;

/** One run of a batch. */
export class RunItemBody {
  @FreeObjectField({
    description: 'Read by expressions as `{{ $prev.args.<name> }}`; up to 512 KB.',
    optional: true,
    example: { order: 1042 },
  })
  args?: Readonly<Record<string, unknown>>;

  @TextField({
    min: 1,
    max: MAX_KEY,
    description:
      'One play per key while it is not final or DONE. The header `Idempotency-Key` is the same thing. Not ' +
      `${Object.values(OWN_KEYS)
        .map((prefix) => `\`${prefix}…\``)
        .join(', ')}: Weft gives such keys to plays that triggers, schedules and failures start.`,
    optional: true,
    example: 'order-1042',
  })
  idempotencyKey?: string;

  @IntField({ min: 0, max: MAX_DELAY_MS, description: 'Start that many milliseconds from now.', optional: true })
  delayMs?: number;

  @TextField({
    max: 40,
    pattern: ISO_TIME,
    patternSays: 'runAt must be an ISO 8601 time with zone, like 2026-12-24T18:00:00Z',
    description: 'Start then.',
    optional: true,
  })
  runAt?: string;

  @TextField({
    max: 40,
    pattern: ISO_TIME,
    patternSays: 'notAfter must be an ISO 8601 time with zone, like 2026-12-24T18:00:00Z',
    description: 'The play ends as SKIP, with the error `too_late`, if it has not begun by then.',
    optional: true,
  })
  notAfter?: string;

  @IntField({
    min: -MAX_PRIORITY,
    max: MAX_PRIORITY,
    description:
      'Of the company’s plays that wait to be started, those with a higher one go first. When it is not given, what the flow says, or 0. It ' +
      'gives no larger share of the workers than the company has.',
    optional: true,
  })
  priority?: number;

  @LabelsField('Of the play, by which it is found again.')
  labels?: Labels;

  @IntField({
    min: 1,
    max: MAX_VERSION,
    description:
      'The version of the flow to run; left out: the one that is published. Others than editors run no drafts.',
    optional: true,
  })
  version?: number;

  @TextField({
    min: 1,
    max: MAX_QUEUE_NAME,
    pattern: WITHOUT_NUL,
    patternSays: 'lane must not contain the character NUL',
    description:
      'Plays of the company with the same lane run one after the other, in the order of acceptance (docs/lanes.md). It takes ' +
      'precedence over `settings.lane` of the flow.',
    optional: true,
    example: 'customer-42',
  })
  lane?: string;
}

export class RunBody extends RunItemBody {
  @IntField({
    min: 0,
    max: MAX_WAIT_MS,
    unit: 'milliseconds',
    description:
      'Milliseconds to hold the answer: 200 with the outcome when the play ends in time, else 202. The play goes on either way.',
    optional: true,
  })
  wait?: number;
}

export class RunPlayBody extends RunBody {
  @TextField({ min: 1, max: 64, description: 'The flow to run.', example: '06dqx3v8k2m7w0r5t9ya' })
  flowId!: string;
}

export class RunBatchBody {
  @RawListField(RunItemBody, { min: 1, max: MAX_BATCH, description: 'Each is judged by itself.' })
  runs!: readonly unknown[];
}

/** The validated request of a run. */
export interface RunOrder {
  readonly args: Readonly<Record<string, unknown>>;
  readonly idempotencyKey: string | null;
  readonly delayMs: number | null;
  readonly runAt: Date | null;
  /** Null: the play may begin at any time. */
  readonly notAfter: Date | null;
  /** Default: what the flow's settings say, else 0. */
  readonly priority?: number;
  readonly labels?: Labels;
  /** Left out: the one that runs use now. */
  readonly version?: number;
  /** Default: what the flow's settings say. */
  readonly lane?: string;
  /** How long the answer may be held for the outcome; 0: not at all. */
  readonly waitMs: number;
  /** A play that holds the key and has other args is a refusal. Left out: it is the answer. */
  readonly strict?: boolean;
}

const NO_ARGS: Readonly<Record<string, unknown>> = {};

/**
 * Reads the body of a run. Most runs have only args, a key, a priority, labels, a lane, a version or a wait: those are read without the class above, so
 * that the run path does not pay for what it does not use.
 *
 * @param bodyBytes length of the body as sent; null when it is not known
 * @throws WeftError `invalid_body`, `unknown_field`, `invalid_labels`
 */
export function readRunOrder(body: unknown, headerKey: unknown, bodyBytes: number | null): RunOrder {
  const plain = isPlain(body) ? body : readBody(RunBody, body);
  return toRunOrder(plain, headerKey, bodyBytes);
}

/**
 * Reads the runs of a batch, each by itself: what is wrong with one is its own refusal.
 *
 * @throws WeftError `invalid_body` a key in the header would be everybody's
 */
export function readRunItems(
  { runs }: RunBatchBody,
  headerKey: unknown,
  batchBytes: number | null,
): (RunOrder | WeftError)[] {
  if (headerKey !== undefined) {
    throw invalid('header.idempotency-key', 'A batch has no key of its own: give each run its idempotencyKey.');
  }
  return runs.map((run) => {
    try {
      if (run === null) throw invalid('', 'A run must be an object.');
      const plain = isPlain(run) && run.wait === undefined ? run : readBody(RunItemBody, run);
      return toRunOrder(plain, undefined, batchBytes);
    } catch (error) {
      if (!(error instanceof WeftError)) throw error;
      if (error.code === 'invalid_labels') return error;
      return new WeftError('invalid_body', error.message, { errors: error.errors });
    }
  });
}

/** @throws WeftError `invalid_body`, `invalid_labels` */
export function toRunOrder(body: Omit<RunBody, 'flowId'>, headerKey: unknown, bodyBytes: number | null): RunOrder {
  const args = body.args ?? NO_ARGS;
  assertLabels('labels', body.labels);
  if (bodyBytes === null || bodyBytes > MAX_VALUE_BYTES) assertValueFits('args', args);
  return {
    args,
    idempotencyKey: idempotencyKeyOf(body.idempotencyKey, headerKey),
    delayMs: body.delayMs ?? null,
    runAt: body.runAt === undefined ? null : timeOf('runAt', body.runAt),
    notAfter: notAfterOf(body),
    priority: body.priority,
    labels: body.labels,
    version: body.version,
    lane: body.lane,
    waitMs: body.wait ?? 0,
  };
}

/** @throws WeftError `invalid_body` */
export function readStrict(header: unknown): boolean {
  if (header === undefined || header === 'false') return false;
  if (header === 'true') return true;
  throw invalid('header.idempotency-strict', 'Idempotency-Strict must be "true" or "false".');
}

function isPlain(body: unknown): body is RunBody {
  if (body === undefined || body === null || typeof body !== 'object' || Array.isArray(body)) return false;
  for (const name in body) {
    if (!isPlainField(name, (body as Record<string, unknown>)[name])) return false;
  }
  return true;
}

function isPlainField(name: string, value: unknown): boolean {
  switch (name) {
    case 'args':
    case 'labels':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'idempotencyKey':
      return typeof value === 'string' && value.length > 0 && value.length <= MAX_KEY;
    case 'lane':
      return laneFault(value) === null;
    case 'priority':
      return isIntegerIn(value, -MAX_PRIORITY, MAX_PRIORITY);
    case 'wait':
      return isIntegerIn(value, 0, MAX_WAIT_MS);
    case 'version':
      return isIntegerIn(value, 1, MAX_VERSION);
    default:
      return false;
  }
}

function isIntegerIn(value: unknown, min: number, max: number): boolean {
  return Number.isInteger(value) && (value as number) >= min && (value as number) <= max;
}

function idempotencyKeyOf(inBody: string | undefined, inHeader: unknown): string | null {
  if (inBody !== undefined) assertNotOwn(inBody, 'idempotencyKey');
  if (inHeader === undefined) return inBody ?? null;
  if (typeof inHeader !== 'string' || inHeader.length === 0 || inHeader.length > MAX_KEY) {
    throw invalid('header.idempotency-key', `Idempotency-Key must have 1 to ${MAX_KEY} characters.`);
  }
  assertNotOwn(inHeader, 'header.idempotency-key');
  if (inBody !== undefined && inBody !== inHeader) {
    throw invalid('idempotencyKey', 'idempotencyKey and the header Idempotency-Key differ: send one of them.');
  }
  return inHeader;
}

function assertNotOwn(key: string, path: string): void {
  const prefix = ownKeyPrefix(key);
  if (prefix === undefined) return;
  throw invalid(path, `Keys that begin with ${prefix} are those that Weft gives to plays. Choose another one.`);
}

function timeOf(field: 'runAt' | 'notAfter', text: string): Date {
  const time = readTime(text);
  if (!time) throw invalid(field, `${field} is not a time that exists.`);
  return time;
}

function notAfterOf({ notAfter, runAt }: RunItemBody): Date | null {
  if (notAfter === undefined) return null;
  const time = timeOf('notAfter', notAfter);
  if (runAt === undefined || timeOf('runAt', runAt) <= time) return time;
  throw invalid('notAfter', 'notAfter is earlier than runAt, so the play could never begin.');
}

function invalid(path: string, message: string): WeftError {
  return new WeftError('invalid_body', message, { errors: [{ path, code: 'invalid', message }] });
}
