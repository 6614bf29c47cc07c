import { Injectable } from '@nestjs/common';
import { isFinal } from '@weft/contracts';
import { decideCommand } from '@weft/engine';
import { AddressThrottle, CallBackLinks, networkOf } from '@weft/identity';
import { CLOCK, NEW_ID, WeftError, type Clock, type NewId } from '@weft/kernel';
import { Mongo, MongoPlayStore, PayloadStore, RetriesRepository, TenantScope } from '@weft/store';
import { CompanyRepository, FlowVersionRepository } from '@weft/records';
import { AnswerPayload, PlayCommands } from '@weft/runs';
import { HOOK_BYTES } from '@weft/shapes';
import { Inject } from '@nestjs/common';
import { assertValueFits } from '../../http/value-size.js';
import { UploadsService } from '../../payloads/uploads.service.js';
import { ArrivingBodies, decoded, type ArrivingBytes } from './arriving-body.js';
import { DeliveryThrottle } from './delivery-throttle.js';
import { readHookBody } from './read-hook.js';

export interface ArrivingCallBack extends ArrivingBytes {
  readonly contentType: string | null;
  readonly address: string;
  readonly gone: AbortSignal;
}

/** Of one network in a minute. */
const MAX_UNKNOWN = 60;
const WAITS: ReadonlySet<string> = new Set(['wait-event']);
/** `triggeredBy` of a play says whose files they are; of one that nobody started, nobody's. */
const NOBODY = '';

/** Answers the wait of a play for an event, at the address that the play has given out: once, also before the play waits. */
@Injectable()
export class CallBacks {
  private readonly unknown: AddressThrottle;

  constructor(
    private readonly links: CallBackLinks,
    private readonly bodies: ArrivingBodies,
    private readonly throttle: DeliveryThrottle,
    private readonly retries: RetriesRepository,
    private readonly versions: FlowVersionRepository,
    private readonly companies: CompanyRepository,
    private readonly store: MongoPlayStore,
    private readonly commands: PlayCommands,
    private readonly payloads: PayloadStore,
    private readonly uploads: UploadsService,
    private readonly mongo: Mongo,
    @Inject(NEW_ID) private readonly newId: NewId,
    @Inject(CLOCK) clock: Clock,
  ) {
    this.unknown = new AddressThrottle(clock, MAX_UNKNOWN, 'Too many calls of addresses that do not exist');
  }

  /** @throws WeftError `not_found`, `call_back_over`, `too_many_attempts`, `too_many_deliveries`, `malformed_json`, `invalid_body`, `value_too_large` */
  async take(token: string, arriving: ArrivingCallBack): Promise<void> {
    const network = networkOf(arriving.address);
    this.unknown.assertOpen(network);
    const link = this.links.read(token);
    if (!link) {
      this.unknown.count(network);
      throw noSuchAddress();
    }
    const { companyId, firstPlayId, ref } = link;
    const scope = new TenantScope(companyId);
    await this.throttle.take(companyId, firstPlayId);
    const [company, last] = await Promise.all([this.companies.find(scope), this.retries.latest(scope, firstPlayId)]);
    if (!company?.active) throw noSuchAddress();
    if (!last || isFinal(last.state)) throw over();
    const { _id: playId, flowId } = last;
    const play = await this.store.find({ companyId, flowId, playId });
    const version = play && (await this.versions.find(scope, flowId, play.version));
    const position = version?.layers.findIndex((layer) => layer.ref === ref && WAITS.has(layer.appId)) ?? -1;
    if (!play || position === -1) throw over();
    // before its files are kept: a play may have had its answer long ago, and still run
    const asked = decideCommand(play, { kind: 'resume', position, payload: null }, new Date(this.mongo.serverNow()));
    if (asked.kind === 'refuse') throw over();
    const payload = await this.payloadOf(arriving, companyId, play.triggeredBy ?? NOBODY);
    const answer = new AnswerPayload(this.payloads, companyId, {
      ...{ kind: 'event', id: this.newId(), payload },
      receivedAt: new Date(this.mongo.serverNow()).toISOString(),
    });
    const given = async (): Promise<void> => {
      let form: object | null = null;
      const applied = await this.commands.apply({
        read: () => this.store.find({ companyId, flowId, playId }),
        order: async (found) => {
          if (!found) throw over();
          await answer.prepare([found]);
          form = answer.formFor(found);
          return { play: found, command: { kind: 'resume', position, payload: form } };
        },
      });
      if (applied.kind === 'refused') throw over();
      if (applied.kind !== 'written' || !form)
        throw new WeftError('illegal_move', 'The play keeps changing. Send it again.');
      answer.taken(playId, form);
    };
    await answer.settledAfter(given());
  }

  private async payloadOf(arriving: ArrivingCallBack, companyId: string, userId: string): Promise<unknown> {
    const arrived = await this.bodies.read(arriving, HOOK_BYTES, companyId, arriving.gone);
    try {
      const body = await decoded(arrived.bytes, arriving.coding, HOOK_BYTES);
      const payload = await readHookBody({ body, contentType: arriving.contentType }, false, async (file) => {
        const { bytes, contentType, filename } = file;
        const label = { contentType, filename: filename ?? undefined, announced: bytes.length };
        const { expires_at: _, ...kept } = await this.uploads.keep({ companyId, userId }, [bytes], label);
        return kept;
      });
      assertValueFits('payload', payload);
      return payload;
    } finally {
      arrived.release();
    }
  }
}

function noSuchAddress(): WeftError {
  return new WeftError('not_found', 'There is nothing at this address.');
}

function over(): WeftError {
  return new WeftError('call_back_over', 'The play has had its answer, or has ended. An address takes one call.');
}
