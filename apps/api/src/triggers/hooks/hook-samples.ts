import { Injectable } from '@nestjs/common';
import { Mongo, TenantScope } from '@weft/store';
import { TriggerRepository, type TriggerDocument } from '@weft/records';
import { writeJson } from '@weft/kernel';
import type { SentDelivery } from '@weft/runs';
import type { OpenTrigger } from '../trigger-source.js';
import { presetOf } from '../verifying/signature-scheme.js';
import { readHookBody, type KeepFile } from './read-hook.js';

/** UTF-16 units as JSON: it is stored with its trigger, and read with it. */
const MAX_SAMPLE_CHARS = 32 * 1024;

/** What arrives at a trigger that listens for one call is shown, and is the sample for its expressions. */
@Injectable()
export class HookSamples {
  constructor(
    private readonly triggers: TriggerRepository,
    private readonly mongo: Mongo,
  ) {}

  listens({ listen_until: until }: Pick<TriggerDocument, 'listen_until'>): boolean {
    return until !== undefined && until.getTime() > this.mongo.serverNow();
  }

  /** Also what cannot be verified, or read: that is what people look for. */
  async hear({ trigger }: OpenTrigger, sent: SentDelivery, verified: boolean): Promise<void> {
    const { method, headers, query } = sent;
    const hasPayload = presetOf(trigger.verifier.type)?.hasPayload === true;
    const body = await readHookBody(sent, hasPayload, NOT_KEPT).catch(({ message }: Error) => `[${message}]`);
    const { json } = writeJson({ method, headers, query, body });
    const hook = json !== undefined && json.length <= MAX_SAMPLE_CHARS ? json : null;
    const received_at = new Date(this.mongo.serverNow());
    const sample = { received_at, verified, method, bytes: sent.body.length, hook };
    await this.triggers.hear(new TenantScope(trigger.company_id), trigger._id, sample);
  }
}

/** A sample says what files there were, and keeps none. */
const NOT_KEPT: KeepFile = ({ bytes, contentType, filename }) =>
  Promise.resolve({ $ref: '', bytes: bytes.length, contentType: contentType ?? '', filename, sha256: '' });
