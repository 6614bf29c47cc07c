import { Injectable } from '@nestjs/common';
import { ERRORS, WeftError } from '@weft/kernel';
import { Mongo } from '@weft/store';
import {
  arrivedMessage,
  DeliveryLog,
  EventDelivery,
  keyOfDelivery,
  PlayAcceptance,
  READ_MESSAGE,
  TriggerReading,
  type AcceptedRun,
  type Arrived,
  type DeliveredEvent,
  type LoggedOutcome,
  type RunnableFlow,
  type SentDelivery,
} from '@weft/runs';
import { Sandbox } from '@weft/sandbox';
import { assertValueFits } from '../../http/value-size.js';
import { UploadsService } from '../../payloads/uploads.service.js';
import { setImmediate as turn } from 'node:timers/promises';
import type { OpenTrigger } from '../trigger-source.js';
import { presetOf } from '../verifying/signature-scheme.js';
import { challengeIn, challengeOf } from './challenge.js';
import type { HookReply } from './hook-answer.js';
import { readHookBody, type Hook, type KeepFile } from './read-hook.js';

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
  | { readonly kind: 'ran'; readonly run: AcceptedRun; readonly reading: TriggerReading }
  | { readonly kind: 'sent'; readonly event: DeliveredEvent; readonly reading: TriggerReading }
  | { readonly kind: 'skipped'; readonly reading: TriggerReading }
  | { readonly kind: 'challenge'; readonly reply: HookReply };

const DAY_MS = 86_400_000;
const MAX_FILENAME = 255;
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
    private readonly events: EventDelivery,
    private readonly uploads: UploadsService,
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
      if (result.kind === 'sent') await write({ ...found, outcome: result.event.replayed ? 'duplicate' : 'accepted' });
      return result;
    } catch (error) {
      if (error instanceof WeftError && ERRORS[error.code].status < 500) {
        await write({ ...found, error: { code: error.code, message: error.message } });
      }
      throw error;
    }
  }

  /** Whether the condition of the trigger for a check of its address holds; the check is not logged. @throws WeftError `condition_failed` */
  isChallenge({ compiled, trigger }: OpenTrigger, checked: Omit<Hook, 'body'>): Promise<boolean> {
    const { company_id: companyId, flow_id: id } = trigger;
    const of = { companyId, flow: { id, name: '', key: null, version: 0 } };
    const deps = { sandbox: this.sandbox, now: () => this.mongo.serverNow() };
    return new TriggerReading(compiled, trigger, arrivedAt({ ...checked, body: null }), of, deps).isChallenge();
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
    const arrived = await this.read(open, sent, userId);
    await others();
    const { id, name, key = null, version } = flow;
    const of = { companyId: flow.companyId, flow: { id, name, key, version } };
    const deps = { sandbox: this.sandbox, now: () => this.mongo.serverNow() };
    const reading = new TriggerReading(compiled, trigger, arrived, of, deps);
    const challenge = challengeOf(trigger);
    if (challenge?.in === 'body') {
      const reply = challengeIn(challenge, arrived.defaultArgs.body, open.secrets.token);
      if (reply && (await reading.isChallenge())) return { kind: 'challenge', reply };
    }
    if (replayOf === undefined) found.dedupeId = (await reading.dedupeId()) ?? found.dedupeId;
    const ping = preset?.ping;
    if (ping && sent.headers[ping.header] === ping.equals) return { kind: 'skipped', reading };
    if (!(await reading.holds())) return { kind: 'skipped', reading };
    const idempotencyKey = keyOfDelivery(trigger._id, found.dedupeId);
    if (trigger.action) {
      const { ttlMs = DAY_MS } = trigger.action;
      const { companyId } = flow;
      const payload = await reading.args();
      assertValueFits('payload', payload);
      const event = await this.events.send({
        ...{ companyId, ...(await reading.event()), payload },
        reaches: this.events.reachOf(companyId, userId),
        keep: { ttlMs, sentBy: userId, id: idempotencyKey },
      });
      return { kind: 'sent', event, reading };
    }
    const args = await reading.args();
    await others();
    const by = { labels: trigger.labels, trigger: 'hook', triggeredBy: userId } as const;
    const run = await this.acceptance.accept(flow, { args, idempotencyKey, ownArgs: reading.ownArgs(), ...by });
    return { kind: 'ran', run, reading };
  }

  /** A message is what a trigger that reads by itself has logged: only its replay comes here. */
  private async read({ trigger }: OpenTrigger, sent: SentDelivery, userId: string): Promise<Arrived> {
    const { body: bytes, contentType, method, headers, query } = sent;
    if (trigger.type) {
      const about = query as Readonly<Record<string, string>>;
      return arrivedMessage(READ_MESSAGE[trigger.type]({ bytes, contentType, headers, about }));
    }
    const hasPayload = presetOf(trigger.verifier.type)?.hasPayload === true;
    const body = await readHookBody(sent, hasPayload, this.keepFor(trigger.company_id, userId));
    return arrivedAt({ method, body, headers, query });
  }

  private keepFor(companyId: string, userId: string): KeepFile {
    return async ({ bytes, contentType, filename }) => {
      const { expires_at: _, ...file } = await this.uploads.keep({ companyId, userId }, [bytes], {
        ...{ contentType, filename: filename?.slice(0, MAX_FILENAME), announced: bytes.length },
      });
      return file;
    };
  }
}

function arrivedAt(hook: Hook): Arrived {
  const { body, headers, query } = hook;
  return { variable: 'hook', value: hook, defaultArgs: { body, headers, query } };
}
