import { Inject, Injectable } from '@nestjs/common';
import { AddressThrottle, networkOf } from '@weft/identity';
import { CLOCK, WeftError, type Clock } from '@weft/kernel';
import { Metrics } from '@weft/observability';
import { Mongo } from '@weft/store';
import { ScheduledRunAuthorizer, type AcceptedRun, type RunnableFlow } from '@weft/runs';
import { TriggerSource, type OpenTrigger } from '../trigger-source.js';
import { isVerified, schemeOf } from '../verifying/verify-delivery.js';
import type { RawDelivery } from '../verifying/verify-signature.js';
import type { SentDelivery } from './delivery-log.js';
import { DeliveryRuns, type DeliveryResult } from './delivery-runs.js';
import { DeliveryThrottle } from './delivery-throttle.js';
import { withoutCredentials } from './read-hook.js';

/** What arrives at an address. */
export interface ArrivedDelivery extends RawDelivery {
  readonly query: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Of the sender. */
  readonly address: string;
}

/** What becomes of it, and what decides how it is answered. */
export type TakenDelivery = DeliveryResult & { readonly flow: RunnableFlow; readonly open: OpenTrigger };

/** Of one network at one trigger in a minute: other senders, and other triggers of this sender, are not concerned. */
const MAX_UNVERIFIED = 60;

/** Takes deliveries of strangers: finds the trigger, verifies the bytes, and only then reads them. */
@Injectable()
export class HookIntake {
  private readonly unverified: AddressThrottle;

  constructor(
    private readonly source: TriggerSource,
    private readonly throttle: DeliveryThrottle,
    private readonly authorizer: ScheduledRunAuthorizer,
    private readonly runs: DeliveryRuns,
    private readonly mongo: Mongo,
    private readonly metrics: Metrics,
    @Inject(CLOCK) clock: Clock,
  ) {
    this.unverified = new AddressThrottle(clock, MAX_UNVERIFIED, 'Too many deliveries that cannot be verified');
  }

  /** @throws WeftError `not_found`, `unauthenticated`, `too_many_attempts`, `too_many_deliveries`, and as `DeliveryRuns.run` */
  async take(token: string, arrived: ArrivedDelivery): Promise<TakenDelivery> {
    const open = await this.source.byToken(token);
    if (!open) {
      this.metrics.triggerDelivery('unknown');
      throw noTrigger();
    }
    this.assertVerified(open, arrived);
    const { trigger } = open;
    const { company_id: companyId, flow_id: flowId, created_by: userId } = trigger;
    await this.throttle.take(companyId, trigger._id).catch((error: unknown) => {
      this.metrics.triggerDelivery('limited');
      throw error;
    });
    const sent = toSent(open, arrived);
    const judged = await this.authorizer.eligibilityOf({ companyId, flowId, userId, maker: 'trigger' });
    if (judged.blockedReason !== null) {
      await this.runs.refuse(open, sent, 'denied', judged.blockedReason);
      throw noTrigger();
    }
    const { flow } = judged;
    return { ...(await this.runs.run({ open, flow, userId, sent })), flow, open };
  }

  /** Whether the sender of the delivery may see how its play ended: only if the trigger's maker may. */
  mayTell({ open, flow }: TakenDelivery, { play }: AcceptedRun): boolean | Promise<boolean> {
    const { company_id: companyId, created_by: userId } = open.trigger;
    return play.flowId === flow.id && this.authorizer.mayRead({ companyId, userId }, flow);
  }

  private assertVerified({ trigger, secrets }: OpenTrigger, arrived: ArrivedDelivery): void {
    const pair = `${trigger._id} ${networkOf(arrived.address)}`;
    this.unverified.assertOpen(pair);
    if (isVerified(trigger.verifier, secrets, arrived, this.mongo.serverNow())) return;
    this.unverified.count(pair);
    this.metrics.triggerDelivery('unverified');
    throw new WeftError('unauthenticated', 'The delivery cannot be verified.');
  }
}

function toSent({ trigger }: OpenTrigger, { headers, body, query }: ArrivedDelivery): SentDelivery {
  const { verifier, dedupe, secret_names = [] } = trigger;
  const signature = schemeOf(verifier)?.header;
  const named = new Map(secret_names.map((name) => [name, true]));
  const ids = [dedupe?.header, schemeOf(verifier)?.id_header].map((id) => [id ?? '', false] as const);
  const known = new Map([...ids, ...named]);
  if (signature !== undefined) known.set(signature, true);
  const contentType = headers['content-type'];
  return {
    body,
    contentType: typeof contentType === 'string' ? contentType : null,
    headers: withoutCredentials(headers, known),
    query: withoutCredentials(query, named),
  };
}

/** Says the same of an address that never was, of a disabled one, and of one whose flow cannot run. */
function noTrigger(): WeftError {
  return new WeftError('not_found', 'There is no trigger at this address.');
}
