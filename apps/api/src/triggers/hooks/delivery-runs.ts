import { Injectable } from '@nestjs/common';
import { ERRORS, WeftError } from '@weft/kernel';
import { Mongo } from '@weft/store';
import { OWN_KEYS, PlayAcceptance, type AcceptedRun, type RunnableFlow } from '@weft/runs';
import { Sandbox } from '@weft/sandbox';
import { createHash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { TriggerReading } from '../trigger-expressions.js';
import type { OpenTrigger } from '../trigger-source.js';
import { presetOf } from '../verifying/signature-scheme.js';
import { DeliveryLog, type LoggedOutcome, type SentDelivery } from './delivery-log.js';
import { readHookBody } from './read-hook.js';

/** What a delivery is to do. */
export interface DeliveryOrder {
  readonly open: OpenTrigger;
  /** That the user may execute now. */
  readonly flow: RunnableFlow;
  readonly userId: string;
  readonly sent: SentDelivery;
  /** The delivery that is repeated: the repetition is a delivery of its own, with a play of its own. */
  readonly replayOf?: string;
}

export type DeliveryResult =
  | { readonly kind: 'ran'; readonly run: AcceptedRun }
  | { readonly kind: 'skipped' }
  | { readonly kind: 'challenge'; readonly challenge: string };

/** An id is part of an idempotency key; a longer one is replaced by its digest. */
const MAX_ID_IN_KEY = 200;
const MAX_CHALLENGE = 1_000;
/** From this size on, other requests have a turn between the steps of a delivery. */
const LARGE_BYTES = 64 * 1024;

/** Makes plays of deliveries, at most one of each, and logs what became of them before they are answered. */
@Injectable()
export class DeliveryRuns {
  constructor(
    private readonly acceptance: PlayAcceptance,
    private readonly sandbox: Sandbox,
    private readonly mongo: Mongo,
    private readonly log: DeliveryLog,
  ) {}

  /**
   * @throws WeftError `malformed_json`, `invalid_body`, `body_too_large`, `condition_failed`, `invalid_args`, `backlog_full`
   */
  async run(order: DeliveryOrder): Promise<DeliveryResult> {
    const id = this.acceptance.nextPlayId(); // of MongoDB's clock: the log sorts by it, whichever replica wrote it
    const logged: LoggedOutcome = {
      ...{ dedupeId: id, outcome: 'refused', error: null, playId: null },
      replayOf: order.replayOf ?? null,
    };
    const write = (more: Partial<LoggedOutcome>) =>
      this.log.add(id, order.open.trigger, order.sent, { ...logged, ...more });
    const found = { dedupeId: id };
    try {
      const result = await this.attempt(order, found);
      if (result.kind === 'skipped') await write({ ...found, outcome: 'skipped' });
      if (result.kind === 'ran') {
        const { play, replayed } = result.run;
        await write({ ...found, outcome: replayed ? 'duplicate' : 'accepted', playId: play._id });
      }
      return result;
    } catch (error) {
      if (error instanceof WeftError && ERRORS[error.code].status < 500) {
        await write({ ...found, error: { code: error.code, message: error.message } });
      }
      throw error;
    }
  }

  /** Logs a delivery that is not looked into. */
  refuse({ trigger }: OpenTrigger, sent: SentDelivery, code: string, message: string): Promise<void> {
    const id = this.acceptance.nextPlayId();
    const refused = { dedupeId: id, outcome: 'refused', playId: null, replayOf: null } as const;
    return this.log.add(id, trigger, sent, { ...refused, error: { code, message } });
  }

  /** @param found the id of the delivery; its own until the sender's is read */
  private async attempt(order: DeliveryOrder, found: { dedupeId: string }): Promise<DeliveryResult> {
    const { open, flow, userId, sent, replayOf } = order;
    const { trigger, compiled } = open;
    const preset = presetOf(trigger.verifier.type);
    const others = () => (sent.body.length > LARGE_BYTES ? turn() : undefined);
    const body = readHookBody(sent.body, sent.contentType);
    const challenge = preset?.challenge && challengeOf(preset.challenge, body);
    if (challenge !== undefined) return { kind: 'challenge', challenge };
    await others();
    const { headers, query } = sent;
    const { id, name, key = null, version } = flow;
    const of = { companyId: flow.companyId, flow: { id, name, key, version } };
    const deps = { sandbox: this.sandbox, now: () => this.mongo.serverNow() };
    const reading = new TriggerReading(compiled, { body, headers, query }, of, deps);
    if (replayOf === undefined) found.dedupeId = (await reading.dedupeId()) ?? found.dedupeId;
    const ping = preset?.ping;
    if (ping && headers[ping.header] === ping.equals) return { kind: 'skipped' };
    if (!(await reading.holds())) return { kind: 'skipped' };
    const args = await reading.args();
    await others();
    const idempotencyKey = `${OWN_KEYS.hook}${trigger._id}:${idInKey(found.dedupeId)}`;
    const by = { labels: trigger.labels, trigger: 'hook', triggeredBy: userId } as const;
    const run = await this.acceptance.accept(flow, { args, idempotencyKey, ownArgs: reading.ownArgs(), ...by });
    return { kind: 'ran', run };
  }
}

function idInKey(id: string): string {
  return id.length <= MAX_ID_IN_KEY ? id : createHash('sha256').update(id).digest('base64url');
}

function challengeOf(
  { field, equals, echo }: { readonly field: string; readonly equals: string; readonly echo: string },
  body: unknown,
): string | undefined {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, field)) return undefined;
  const fields = body as Readonly<Record<string, unknown>>;
  const text = fields[field] === equals && Object.hasOwn(body, echo) ? fields[echo] : undefined;
  return typeof text === 'string' && text.length <= MAX_CHALLENGE ? text : undefined;
}
