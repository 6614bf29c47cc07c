import { ReadThroughCache } from '@weft/concurrency';
import { Inject, Injectable } from '@nestjs/common';
import { SecretBox, type SecretPlace } from '@weft/identity';
import { CLOCK, parseStoredJson, type Clock } from '@weft/kernel';
import { SystemScope } from '@weft/store';
import { TriggerRepository, TRIGGERS, type TriggerDocument } from '@weft/records';
import { LRUCache } from 'lru-cache';
import { createHash, randomBytes } from 'node:crypto';
import { compileTrigger, type CompiledTrigger } from '@weft/runs';
import { dedupeRulesOf } from './verifying/dedupe-rules.js';
import type { VerifierSecrets } from './verifying/verify-delivery.js';

/** A trigger that is ready to take deliveries. */
export interface OpenTrigger {
  readonly trigger: TriggerDocument;
  readonly secrets: VerifierSecrets;
  readonly compiled: CompiledTrigger;
}

const TOKEN_BYTES = 32;
const MAX_TRIGGERS = 5_000;
const ALL_COMPANIES = new SystemScope('a delivery names its trigger by the token alone');

/** The token of an address. It is in the address only; the store gets its hash. */
export function newToken(): { readonly token: string; readonly token_hash: string } {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  return { token, token_hash: hashToken(token) };
}

function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

/** Finds triggers by their tokens, at most a second old, and opens their secrets and parses their expressions once. */
@Injectable()
export class TriggerSource {
  private readonly reads: ReadThroughCache<TriggerDocument>;
  private readonly opened = new LRUCache<string, OpenTrigger>({ max: MAX_TRIGGERS });

  constructor(
    triggers: TriggerRepository,
    private readonly secrets: SecretBox,
    @Inject(CLOCK) clock: Clock,
  ) {
    this.reads = new ReadThroughCache({
      ask: async (hashes) =>
        new Map((await triggers.findByTokens(ALL_COMPANIES, hashes)).map((each) => [each.token_hash, each])),
      monotonicMs: () => clock.monotonicMs(),
      max: MAX_TRIGGERS,
    });
  }

  /** Null: there is no such trigger, or it is disabled; both take the same look at the store. */
  async byToken(token: string): Promise<OpenTrigger | null> {
    const trigger = await this.reads.get(hashToken(token));
    return trigger ? this.open(trigger) : null;
  }

  /** @throws WeftError `invalid_expression` of an expression that this version of Weft cannot read; SecretUnreadable */
  open(trigger: TriggerDocument): OpenTrigger {
    const name = `${trigger._id} ${trigger.rev}`;
    let open = this.opened.get(name);
    if (!open) {
      open = { trigger, secrets: this.secretsOf(trigger), compiled: compileTrigger(trigger, dedupeRulesOf(trigger)) };
      this.opened.set(name, open);
    }
    return open;
  }

  secretsOf(trigger: TriggerDocument): VerifierSecrets {
    if (trigger.secret === null) return {};
    return parseStoredJson(this.secrets.open(placeOf(trigger), trigger.secret)) as VerifierSecrets;
  }

  /** Null: the verifier has no secrets. */
  seal(of: Pick<TriggerDocument, '_id' | 'company_id'>, secrets: VerifierSecrets): string | null {
    return Object.keys(secrets).length === 0 ? null : this.secrets.seal(placeOf(of), JSON.stringify(secrets));
  }

  /** The trigger has changed: this replica takes the next delivery by what is stored now, the others within a second. */
  drop({ token_hash }: Pick<TriggerDocument, 'token_hash'>): void {
    this.reads.drop(token_hash);
  }
}

function placeOf({ _id, company_id }: Pick<TriggerDocument, '_id' | 'company_id'>): SecretPlace {
  return { companyId: company_id, collection: TRIGGERS, recordId: _id, field: 'secret' };
}
