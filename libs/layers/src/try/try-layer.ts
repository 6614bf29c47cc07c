/** Makes one call of one layer for somebody who builds the flow: no play, no loop, no retry, and nothing is stored. */
import { acceptPlay, type FlowVersion, type LayerDefinition } from '@weft/engine';
import type { ExpressionScope } from '@weft/expressions';
import { cutText } from '@weft/kernel';
import { internalCause, MAX_MESSAGE_BYTES, toLayerFailure } from '../call/failure.js';
import { PausedCall } from '../call/call-gate.js';
import { prepareCall, scopeOf, type PreparedCall } from '../call/layer-call.js';
import { asJson, assertBytes } from '../call/layer-outputs.js';
import { withoutMarks } from '../call/link-marks.js';
import { argsOf, callModule, idempotencyKeyOf, sandboxUse } from '../call/module-call.js';
import { moduleServices, type GivenModuleServices, type ModuleServices } from '../call/module-services.js';
import { prepareVersion, type LayerRead } from '../call/prepared-version.js';
import { withoutSecret } from '../call/without-secret.js';
import type { Faces } from '../face.js';
import { renderArgs, type RenderedArgs } from '../input/rendered-args.js';
import { LayerFailure, type CallIntent, type Output, type WorkingModule } from '../layer-module.js';
import { doneItem } from '../loops/collected-item.js';
import { itemsOf } from '../loops/loop-results.js';
import { InlineBudget } from '../memory/inline-budget.js';
import { moduleOf } from '../registry.js';

const SECRET = '[secret]';
/** Of an answer: more is not what somebody looks at while they build. */
const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;
/** How long a call waits for a rate limit. */
const SLOT_MS = 10_000;
const MAX_LOGS = 100;
const MAX_LOG_CHARS = 1_000;

export interface LayerTry {
  /** Of a play that is never stored: peers see it in the `Idempotency-Key`. */
  readonly playId: string;
  readonly userId: string | null;
  /** Its last layer is tried; before it, those that its expressions name. */
  readonly version: FlowVersion;
  readonly companyName: string;
  /** Args of the run. */
  readonly args: Readonly<Record<string, unknown>>;
  /** Outputs of earlier layers, by ref. */
  readonly outs: Readonly<Record<string, unknown>>;
  /** Of `forEach`: which item, from 0; default: the first. */
  readonly item?: number;
  /** Whether the call may change something. */
  readonly confirmed: boolean;
  /** Variables of the blueprint whose values are not shown. */
  readonly secretVars: readonly string[];
  readonly timeoutMs: number;
}

export interface LayerTryMeans {
  readonly services: GivenModuleServices;
  readonly faces: Faces;
  readonly signal: AbortSignal;
  /** MongoDB's clock, epoch ms. */
  readonly serverNow: () => number;
  /** Called once all is known, directly before the call. */
  readonly onCall: (intent: CallIntent) => Promise<void>;
  /** Called with a fault that is not the layer's. */
  readonly onFault: (fault: unknown) => void;
}

export interface LayerTryEnd {
  /** `needs_confirm`: the call may change something, and was not made. */
  readonly kind: 'called' | 'not_called' | 'needs_confirm';
  /** What later layers would read: of a loop the list with this one item, of pages this one page. */
  readonly out: unknown;
  readonly error: { readonly code: string; readonly message: string; readonly statusCode?: number } | null;
  readonly durationMs: number;
  readonly request: CallIntent['request'];
  /** What the call reported of its progress, and what code told its console. */
  readonly logs: readonly string[];
  /** What the layer was given, with the texts that gave it. */
  readonly input: RenderedArgs;
}

/** Whether a call of the module can be made alone: it does not wait, and starts no play. */
export function isTriable(appId: string): boolean {
  const { effect } = moduleOf(appId) ?? {};
  return effect === 'pure' || effect === 'effect';
}

/** The layers whose outputs its expressions read. */
export function readsOfLayer(version: FlowVersion, layer: LayerDefinition): readonly LayerRead[] {
  return prepareVersion({ ...version, layers: [layer] }, '').layers[0]?.reads ?? [];
}

/** Never rejects because of the layer: its failure is in the answer. */
export async function tryLayer(asked: LayerTry, means: LayerTryMeans): Promise<LayerTryEnd> {
  return new Try(asked, means).run();
}

const NOT_KNOWN: RenderedArgs = { args: null, expressions: {}, unresolved: [] };

class Try {
  private readonly work: PreparedCall;
  private readonly services: ModuleServices;
  private readonly logs: string[] = [];
  private input = NOT_KNOWN;
  private intent: CallIntent = { reads: false, request: null };
  private startedMs: number | null = null;

  constructor(
    private readonly asked: LayerTry,
    private readonly means: LayerTryMeans,
  ) {
    this.work = preparedTry(asked, means);
    this.services = moduleServices(means.services);
  }

  async run(): Promise<LayerTryEnd> {
    try {
      const { module } = this.work.layer;
      if (!module || !('run' in module)) throw new LayerFailure('unknown_app', 'This layer is not called by itself.');
      const scope = await this.scope();
      this.input = await this.rendered(scope);
      const key = this.keyOf(scope);
      const args = await argsOf(this.work, module, scope, sandboxUse(this.work, this.services, key));
      this.intent =
        module.effect === 'pure' ? { reads: true, request: null } : (module.intentOf?.(args) ?? this.intent);
      if (!this.intent.reads && !this.asked.confirmed) return this.end('needs_confirm', null);
      await this.means.onCall({ ...this.intent, request: this.request });
      this.startedMs = performance.now();
      const out = await this.called(module, args, scope, key);
      return this.end('called', out);
    } catch (error) {
      return this.failed(error);
    }
  }

  /** As the expressions of one call see it. */
  private async scope(): Promise<ExpressionScope> {
    const { items, definition } = this.work.layer;
    const scope = scopeOf(this.work.call);
    if (definition.repeat) return { ...scope, repeat: { index: 0, out: null } };
    if (!items) return scope;
    const list = await itemsOf(this.work, items, this.services);
    const index = this.asked.item ?? 0;
    if (index < list.length) return { ...scope, item: list[index], index };
    const has = list.length === 0 ? 'The list of the loop is empty' : `The loop has ${list.length} items, from 0`;
    throw new LayerFailure('invalid_args', `${has}: there is nothing to call it for.`);
  }

  /** For somebody who looks: secrets of the blueprint stay hidden. */
  private async rendered(scope: ExpressionScope): Promise<RenderedArgs> {
    const hidden = Object.fromEntries(this.asked.secretVars.map((name) => [name, SECRET]));
    const shown = { ...scope, blueprint: { ...this.vars, ...hidden } };
    const use = sandboxUse(this.work, this.services, this.keyOf(scope));
    const input = await renderArgs({ work: this.work, scope: shown, use, whyLost: () => undefined });
    return { ...input, args: withoutMarks(input.args, SECRET) };
  }

  private async called(
    module: WorkingModule<unknown>,
    args: unknown,
    scope: ExpressionScope,
    idempotencyKey: string,
  ): Promise<unknown> {
    const { work, services } = this;
    const progress = (_percent: number, status: string): void => this.note(status);
    const made = await callModule({ work, module, args, scope, idempotencyKey, storage: null, progress }, services);
    if (module.effect === 'pure' && Array.isArray(made.logs)) for (const line of made.logs) this.note(String(line));
    const out = this.asLater(module, args, made);
    assertBytes(Buffer.byteLength(asJson(out)), work);
    return out;
  }

  /** The output as later layers read it. */
  private asLater(module: WorkingModule<unknown>, args: unknown, out: Output): unknown {
    const { forEach } = this.work.layer.definition;
    if (forEach) return [forEach.onItemError === 'collect' ? doneItem(out) : out];
    const { paging } = module;
    const isPaged = this.work.layer.paging !== null && (paging?.most(args) ?? null) !== null;
    return isPaged && paging ? { pages: [paging.pageOf(out)], count: 1 } : out;
  }

  private failed(error: unknown): LayerTryEnd {
    const failure = error instanceof PausedCall ? paused(error) : toLayerFailure(error);
    const { code, statusCode } = failure;
    const fault = internalCause(failure);
    if (fault !== undefined) this.means.onFault(fault);
    const message = cutText(failure.message, MAX_MESSAGE_BYTES);
    const ended = this.end(this.startedMs === null ? 'not_called' : 'called', failure.out ?? null);
    return { ...ended, error: { code, message, ...(statusCode !== undefined && { statusCode }) } };
  }

  private end(kind: LayerTryEnd['kind'], out: unknown): LayerTryEnd {
    const durationMs = this.startedMs === null ? 0 : Math.round(performance.now() - this.startedMs);
    return { kind, out, error: null, durationMs, request: this.request, logs: this.logs, input: this.input };
  }

  private get request(): CallIntent['request'] {
    const { request } = this.intent;
    const secrets = this.asked.secretVars.map((name) => this.vars[name] ?? '');
    return request && { ...request, url: withoutSecret(withoutMarks(request.url, SECRET), secrets) };
  }

  private get vars(): Readonly<Record<string, string>> {
    return this.asked.version.blueprintVars ?? {};
  }

  private keyOf({ index }: ExpressionScope): string {
    return idempotencyKeyOf(this.work, index);
  }

  private note(line: string): void {
    if (this.logs.length < MAX_LOGS && this.logs.at(-1) !== line) this.logs.push(line.slice(0, MAX_LOG_CHARS));
  }
}

function paused({ pause: { kind, destination } }: PausedCall): LayerFailure {
  return kind === 'rate_limit'
    ? new LayerFailure('rate_limited', `A rate limit of ${destination} has no room now: try again later.`)
    : new LayerFailure('destination_down', `${destination} takes no calls now: see its page under Destinations.`);
}

function preparedTry(asked: LayerTry, { faces, signal, serverNow }: LayerTryMeans): PreparedCall {
  const { version, args, playId, timeoutMs } = asked;
  const position = version.layers.length - 1;
  const layers = version.layers.map((layer, at) =>
    at === position
      ? { ...layer, when: null, retry: null, timeoutMs: Math.min(layer.timeoutMs ?? timeoutMs, timeoutMs) }
      : layer,
  );
  const settings = { ...version.settings, onDestinationDown: 'fail' as const };
  const maxOutputBytes = Math.min(settings.maxOutputBytes ?? MAX_OUTPUT_BYTES, MAX_OUTPUT_BYTES);
  const tried = { ...version, layers, settings: { ...settings, maxOutputBytes } };
  const prepared = prepareVersion(tried, asked.companyName, undefined, faces);
  const of = { companyId: version.companyId, flowId: version.flowId, version: version.version };
  const play = acceptPlay({
    ...{ playId, ...of, args, idempotencyKey: null, dueAt: null, trigger: 'api' },
    ...{ triggeredBy: asked.userId, serverNow: new Date(serverNow()) },
  });
  return prepareCall({
    ...{ play, prepared, position, attempt: 1, wait: null, answer: null },
    ...{ outputs: new Map(Object.entries(asked.outs)), errors: new Map(), inlineBudget: new InlineBudget() },
    ...{ signal, by: 'try', slotMs: SLOT_MS },
  });
}
