import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '@weft/config';
import { AddressThrottle, companyStopped, networkOf } from '@weft/identity';
import { CLOCK, WeftError, type Clock } from '@weft/kernel';
import { Metrics } from '@weft/observability';
import { Mongo } from '@weft/store';
import { CompanyLimits, ScheduledRunAuthorizer, type AcceptedRun, type RunnableFlow } from '@weft/runs';
import { HOOK_BYTES, type HookMethod } from '@weft/shapes';
import { TriggerSource, type OpenTrigger } from '../trigger-source.js';
import { credentialHeadersOf, isVerified, judgedByHeaders, schemesOf } from '../verifying/verify-delivery.js';
import type { RawDelivery } from '../verifying/verify-signature.js';
import { ArrivingBodies, decoded, type ArrivingBytes } from './arriving-body.js';
import { challengeIn, challengeOf } from './challenge.js';
import type { SentDelivery } from './delivery-log.js';
import { DeliveryRuns, type DeliveryResult } from './delivery-runs.js';
import { DeliveryThrottle } from './delivery-throttle.js';
import type { HookReply } from './hook-answer.js';
import { HookSamples } from './hook-samples.js';
import { readHookBody, withoutCredentials } from './read-hook.js';

/** What arrives at an address. */
export interface ArrivingDelivery extends Pick<RawDelivery, 'headers'>, ArrivingBytes {
  readonly method: HookMethod;
  /** After the host, as it was sent. */
  readonly path: string;
  readonly query: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Of the sender. */
  readonly address: string;
  /** Aborted when the sender has gone. */
  readonly gone: AbortSignal;
}

/** What becomes of it, and what decides how it is answered. */
export type TakenDelivery =
  | { readonly kind: 'seen' }
  | { readonly kind: 'other_method'; readonly methods: readonly HookMethod[] }
  | { readonly kind: 'challenge'; readonly reply: HookReply }
  | (Exclude<DeliveryResult, { kind: 'challenge' }> & { readonly flow: RunnableFlow; readonly open: OpenTrigger });

/** Of one network at one trigger in a minute: other senders, and other triggers of this sender, are not concerned. */
const MAX_UNVERIFIED = 60;
/** Of a check of the address that is not signed. */
const MAX_CHALLENGE_BYTES = 16 * 1024;
const DEFAULT_METHODS: readonly HookMethod[] = ['POST'];
const NO_FILES = () => Promise.reject(new Error('a check of an address has no files'));

/** Takes deliveries of strangers: finds the trigger, verifies the bytes, and only then reads them. */
@Injectable()
export class HookIntake {
  private readonly unverified: AddressThrottle;

  constructor(
    private readonly source: TriggerSource,
    private readonly throttle: DeliveryThrottle,
    private readonly authorizer: ScheduledRunAuthorizer,
    private readonly limits: CompanyLimits,
    private readonly runs: DeliveryRuns,
    private readonly bodies: ArrivingBodies,
    private readonly samples: HookSamples,
    private readonly mongo: Mongo,
    private readonly metrics: Metrics,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) clock: Clock,
  ) {
    this.unverified = new AddressThrottle(clock, MAX_UNVERIFIED, 'Too many deliveries that cannot be verified');
  }

  /**
   * @throws WeftError `not_found`, `company_stopped`, `unauthenticated`, `too_many_attempts`, `too_many_deliveries`,
   * `body_too_large`, `unsupported_media_type`, `request_timeout`, and as `DeliveryRuns.run`
   */
  async take(token: string, arriving: ArrivingDelivery): Promise<TakenDelivery> {
    const open = await this.source.byToken(token);
    if (!open) {
      this.metrics.triggerDelivery('unknown');
      throw noTrigger();
    }
    const { trigger } = open;
    const checked = await this.challengeInQuery(open, arriving);
    if (checked) return checked;
    const methods = trigger.methods ?? DEFAULT_METHODS;
    if (!methods.includes(arriving.method)) return { kind: 'other_method', methods };
    if (arriving.method === 'HEAD') return { kind: 'seen' };
    const pair = this.pairOf(open, arriving);
    this.unverified.assertOpen(pair);
    const judged = judgedByHeaders(trigger.verifier, open.secrets, arriving, this.mongo.serverNow());
    if (judged === false && !this.samples.listens(trigger) && !challengeOf(trigger)?.isUnsigned)
      throw this.refused(pair);
    const arrived = await this.bodies.read(
      arriving,
      judged === false ? HOOK_BYTES : (trigger.max_bytes ?? HOOK_BYTES),
      trigger.company_id,
      arriving.gone,
    );
    try {
      return await this.takeBytes(open, arriving, arrived.bytes);
    } finally {
      arrived.release();
    }
  }

  /** Whether the sender of the delivery may see how its play ended: only if the trigger's maker may. */
  mayTell(
    { open, flow }: Extract<TakenDelivery, { open: OpenTrigger }>,
    { play }: AcceptedRun,
  ): boolean | Promise<boolean> {
    const { company_id: companyId, created_by: userId } = open.trigger;
    return play.flowId === flow.id && this.authorizer.mayRead({ companyId, userId }, flow);
  }

  private async takeBytes(open: OpenTrigger, arriving: ArrivingDelivery, bytes: Buffer): Promise<TakenDelivery> {
    const { trigger, secrets } = open;
    const pair = this.pairOf(open, arriving);
    const checked = await unsignedChallenge(open, arriving, bytes);
    if (checked) {
      this.unverified.count(pair);
      return { kind: 'challenge', reply: checked };
    }
    const url = `${this.settings.server.apiUrl}${arriving.path}`;
    const delivery = { headers: arriving.headers, body: bytes, url };
    const verified = isVerified(trigger.verifier, secrets, delivery, this.mongo.serverNow());
    const body = verified ? await decoded(bytes, arriving.coding, trigger.max_bytes ?? HOOK_BYTES) : bytes;
    const sent = toSent(open, arriving, body);
    if (this.samples.listens(trigger)) await this.samples.hear(open, sent, verified);
    if (!verified) throw this.refused(pair);
    const { company_id: companyId, flow_id: flowId, created_by: userId } = trigger;
    await this.throttle.take(companyId, trigger._id).catch((error: unknown) => {
      this.metrics.triggerDelivery('limited');
      throw error;
    });
    if (await this.limits.isStopped(companyId)) {
      const stopped = companyStopped();
      await this.runs.refuse(open, sent, stopped.code, stopped.message);
      throw stopped;
    }
    const judged = await this.authorizer.eligibilityOf({ companyId, flowId, userId, maker: 'trigger' });
    if (judged.blockedReason !== null) {
      await this.runs.refuse(open, sent, 'denied', judged.blockedReason);
      throw noTrigger();
    }
    const { flow } = judged;
    const result = await this.runs.run({ open, flow, userId, sent });
    return result.kind === 'challenge' ? result : { ...result, flow, open };
  }

  /** A check of the address is not signed; so it counts as what cannot be verified. */
  private async challengeInQuery(open: OpenTrigger, arriving: ArrivingDelivery): Promise<TakenDelivery | null> {
    const challenge = challengeOf(open.trigger);
    if (challenge?.in !== 'query' || arriving.query[challenge.field] === undefined) return null;
    const pair = this.pairOf(open, arriving);
    this.unverified.assertOpen(pair);
    this.unverified.count(pair);
    const { method, headers, query } = arriving;
    const reply = challengeIn(challenge, query, open.secrets.token);
    if (!reply) return null;
    const isRight = await this.runs.isChallenge(open, {
      method,
      headers: shownAsSent(headers),
      query: shownAsSent(query),
    });
    return isRight ? { kind: 'challenge', reply } : null;
  }

  private pairOf({ trigger }: OpenTrigger, { address }: ArrivingDelivery): string {
    return `${trigger._id} ${networkOf(address)}`;
  }

  private refused(pair: string): WeftError {
    this.unverified.count(pair);
    this.metrics.triggerDelivery('unverified');
    return new WeftError('unauthenticated', 'The delivery cannot be verified.');
  }
}

/** The answer to a check of the address whose sender does not sign it; null: it is not a check. */
async function unsignedChallenge(
  { trigger, secrets }: OpenTrigger,
  { headers }: ArrivingDelivery,
  body: Buffer,
): Promise<HookReply | null> {
  const challenge = challengeOf(trigger);
  if (!challenge?.isUnsigned || body.length > MAX_CHALLENGE_BYTES) return null;
  const contentType = typeof headers['content-type'] === 'string' ? headers['content-type'] : null;
  const read = await readHookBody({ body, contentType }, false, NO_FILES).catch(() => null);
  return challengeIn(challenge, read, secrets.token);
}

function toSent({ trigger }: OpenTrigger, arriving: ArrivingDelivery, body: Buffer): SentDelivery {
  const { headers, query, method } = arriving;
  const { verifier, dedupe, secret_names = [] } = trigger;
  const named = secret_names.map((name) => [name, true] as const);
  const ids = [dedupe?.header, ...schemesOf(verifier).map(({ id_header }) => id_header)];
  const known = new Map([...ids.map((id) => [id ?? '', false] as const), ...named]);
  for (const name of credentialHeadersOf(verifier)) known.set(name, true);
  const contentType = headers['content-type'];
  return {
    body,
    contentType: typeof contentType === 'string' ? contentType : null,
    method,
    headers: withoutCredentials(headers, known),
    query: withoutCredentials(query, new Map(named)),
  };
}

type Fields = Readonly<Record<string, string | readonly string[] | undefined>>;

function shownAsSent(fields: Fields): Readonly<Record<string, string | readonly string[]>> {
  return Object.fromEntries(
    Object.entries(fields).filter((each): each is [string, string | readonly string[]] => each[1] !== undefined),
  );
}

/**
 * Says the same of an address that never was, of a disabled one, and of one whose flow cannot run. Of a stopped company the
 * sender of a verified delivery learns more, because it is to send it again.
 */
function noTrigger(): WeftError {
  return new WeftError('not_found', 'There is no trigger at this address.');
}
