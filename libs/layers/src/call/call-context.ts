import type { RateLimit } from '@weft/shapes';
import type { ExpressionScope } from '@weft/expressions';
import type { LayerContext } from '../layer-module.js';
import { gatedServices, type Gated } from './call-gate.js';
import { databasesOf } from './databases-source.js';
import { HeldAnswer, wholeBody } from '../memory/held-memory.js';
import { callSandbox } from './call-sandbox.js';
import { integrationsOf } from './integration-source.js';
import { kvOf } from './kv-source.js';
import type { PreparedCall } from './layer-call.js';
import { filesOf } from './layer-files.js';
import type { ModuleServices } from './module-services.js';
import { playsOf } from './plays-source.js';
import { SaidText } from './said-text.js';
import type { CallClock } from './time-limit.js';

/** Of a pure module, which has no time limit. */
export const NO_CLOCK: CallClock = {
  stop: () => () => undefined,
  limit: () => () => undefined,
  atEnd: () => undefined,
  stoodStill: false,
};

/** What a call gives its module. */
export interface CallFacts {
  readonly work: PreparedCall;
  /** What a program of the module can read. */
  readonly scope: ExpressionScope;
  readonly idempotencyKey: string;
  readonly storage: LayerContext['storage'];
  readonly progress: LayerContext['progress'];
  /** Of the item of a loop that starts a play. */
  readonly item?: number;
}

type Links = Pick<LayerContext, 'integrations' | 'connection'>;

/**
 * What a module can use. A call uses one or two services, and a context lives as long as its call: each service is made
 * when the module asks for it.
 */
export class CallContext implements LayerContext {
  /** Limits of the links whose credentials the call has used, by the id of the link. */
  private used: Map<string, RateLimit> | undefined;
  private gated: Gated | undefined;
  private linked: Links | undefined;
  private counted: LayerContext['kv'] | undefined;

  constructor(
    private readonly facts: CallFacts,
    private readonly services: ModuleServices,
    readonly signal: AbortSignal,
    private readonly clock: CallClock = NO_CLOCK,
  ) {}

  get playId(): string {
    return this.facts.work.call.play._id;
  }

  get idempotencyKey(): string {
    return this.facts.idempotencyKey;
  }

  get timeoutMs(): number {
    return this.facts.work.timeoutMs;
  }

  get maxOutputBytes(): number {
    return this.facts.work.maxOutputBytes;
  }

  get storage(): LayerContext['storage'] {
    return this.facts.storage;
  }

  get http(): LayerContext['http'] {
    return this.gates().http;
  }

  get afterwards(): LayerContext['afterwards'] {
    return this.services.http;
  }

  get whole(): LayerContext['whole'] {
    const { signal, clock, services, facts } = this;
    const { memory, loop } = services;
    const call = { memory, loop, companyId: facts.work.call.play.company_id, signal, clock };
    return (response, most) => wholeBody(response, Math.min(most, this.maxOutputBytes), call);
  }

  get hold(): LayerContext['hold'] {
    const { signal, clock, services, facts } = this;
    const { memory, loop } = services;
    const call = { memory, loop, companyId: facts.work.call.play.company_id, signal, clock };
    return (name, most, free) => {
      const held = new HeldAnswer(call, { name }, most);
      return {
        reserve: (bytes) => (bytes <= free ? undefined : held.reserve(bytes)),
        arrived: (bytes) => held.arrived(bytes),
      };
    };
  }

  get sockets(): LayerContext['sockets'] {
    return this.gates().sockets;
  }

  get files(): LayerContext['files'] {
    return filesOf(this.services.files, this.facts.work.call);
  }

  get integrations(): LayerContext['integrations'] {
    return this.links().integrations;
  }

  get connection(): LayerContext['connection'] {
    return this.links().connection;
  }

  get kv(): LayerContext['kv'] {
    const { work, idempotencyKey } = this.facts;
    // one for the call: it numbers the changes
    return (this.counted ??= kvOf(this.services.kv, work.call.play.company_id, idempotencyKey, work.tally));
  }

  get database(): LayerContext['database'] {
    const { signal, clock } = this;
    const { play, proven } = this.facts.work.call;
    const { databases: pools, memory, loop } = this.services;
    const { connection } = this.links();
    const gate = this.gates().through;
    return databasesOf({ play, proven, signal, clock, memory, loop, pools, connection, gate });
  }

  get plays(): LayerContext['plays'] {
    const { services, facts } = this;
    const { play, position } = facts.work.call;
    return playsOf(services.plays, play, position, facts.item);
  }

  get accountAi(): LayerContext['accountAi'] {
    const { company_id } = this.facts.work.call.play;
    return (use) => this.services.accountAi(use, company_id);
  }

  get sandbox(): LayerContext['sandbox'] {
    const { work, scope, idempotencyKey: seed } = this.facts;
    const { sandbox } = this.services;
    return callSandbox({ sandbox, files: this.files, play: work.call.play, signal: this.signal, seed }, scope);
  }

  get progress(): LayerContext['progress'] {
    return this.facts.progress;
  }

  says(answer: number): SaidText {
    const { position, says } = this.facts.work.call;
    return new SaidText(answer, (text) => says?.({ position, ...text }) ?? false);
  }

  /** One pair for the call: it knows whether something was sent already. */
  private gates(): Gated {
    return (this.gated ??= this.makeGates());
  }

  private makeGates(): Gated {
    const { signal, clock, services } = this;
    const { play, position, prepared, proven, slotMs, leave } = this.facts.work.call;
    return gatedServices(services, services.gate, {
      ...{ companyId: play.company_id, links: this.limits(), signal, clock, proven, slotMs, leave },
      pausedFor: play.waits?.[position]?.destination,
      onDown: prepared.version.settings.onDestinationDown ?? 'fail',
    });
  }

  private links(): Links {
    const { signal, services } = this;
    return (this.linked ??= integrationsOf(services.integrations, this.facts.work.call, signal, this.limits()));
  }

  private limits(): Map<string, RateLimit> {
    return (this.used ??= new Map<string, RateLimit>());
  }
}
