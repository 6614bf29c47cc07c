import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Principal } from '@weft/access';
import { SETTINGS, type Settings } from '@weft/config';
import type { PlayError } from '@weft/contracts';
import type { FlowVersion, LayerDefinition } from '@weft/engine';
import { CLOCK, NEW_ID, parseStoredJson, WeftError, writeJson, type Clock, type NewId } from '@weft/kernel';
import { isTriable, moduleOf, readsOfLayer } from '@weft/layers';
import { LayerTries } from '@weft/realtime-bus';
import { CompanyRepository, type FlowDocument } from '@weft/records';
import { REDIS, RedisNames, SharedRates, type Redis } from '@weft/redis';
import { TRY_LIMIT_MS, type LayerTryAnswer, type LayerTryOrder } from '@weft/runs';
import { TenantScope } from '@weft/store';
import { withSecretsHidden } from '../documents/private-values.js';
import { versionWithin } from '../dry-run/bounded-version.js';
import { DryRuns } from '../dry-run/dry-runs.service.js';
import { flowEntry, type Actor } from '../flow-audit.js';
import { FlowRights } from '../flow-rights.js';
import { FlowsService } from '../flows.service.js';
import { allLayers, assertAllLayers } from '../layers/all-layers.js';
import { LinkRights } from '../link-rights.js';
import { SamplesService } from '../samples/samples.service.js';
import type { LayerTryBody } from './layer-try.requests.js';
import type { LayerTryView } from './layer-try.view.js';

const SECRET = '[secret]';
/** Of a user, and of all users of a company together. */
const PER_MINUTE = { user: 20, company: 120 } as const;
const BURST_SECONDS = 60;
/** Of one company that wait for their answer in this process: each holds what it sends, in Redis too. */
const AT_ONCE = 10;
/** What a try sends to the worker: args and outputs above all. */
const MAX_ORDER_BYTES = 2 * 1024 * 1024;
/** For the way of the answer. */
const MARGIN_MS = 3_000;

type Outs = Readonly<Record<string, unknown>>;
const NOTHING = { outs: {}, error: null } as const;

/** Calls single layers for those who build a flow. A worker makes the call, because only workers reach outside. */
@Injectable()
export class LayerTriesService implements OnModuleDestroy {
  private readonly rates: SharedRates;
  private readonly names: RedisNames;
  private readonly stopListening: () => void;
  private readonly present = new Map<string, number>();

  constructor(
    private readonly tries: LayerTries,
    private readonly flows: FlowsService,
    private readonly rights: FlowRights,
    private readonly links: LinkRights,
    private readonly samples: SamplesService,
    private readonly dryRuns: DryRuns,
    private readonly companies: CompanyRepository,
    @Inject(NEW_ID) private readonly newId: NewId,
    @Inject(REDIS) redis: Redis,
    @Inject(SETTINGS) { queue }: Settings,
    @Inject(CLOCK) clock: Clock,
  ) {
    this.rates = new SharedRates(redis, clock);
    this.names = new RedisNames(queue.prefix);
    this.stopListening = tries.listen();
  }

  onModuleDestroy(): void {
    this.stopListening();
  }

  /**
   * @param gone aborted when nobody waits for the answer any more: the call is ended
   * @throws WeftError `not_found`, `denied`, `not_triable`, `confirm_needed`, `too_many_tries`, `unresolved_refs`, `value_too_large`,
   * `no_worker`, `call_unanswered`; of `assertAllLayers`
   */
  async try(actor: Actor, flowId: string, body: LayerTryBody, gone: AbortSignal): Promise<LayerTryView> {
    const { caller } = actor;
    const saved = await this.flows.read(caller, flowId, 'edit');
    await this.rights.assertMay(caller, 'execute', saved);
    assertWithinKey(caller, flowId);
    const flow: FlowDocument = {
      ...saved,
      layers: body.layers ? allLayers(body.layers, saved.layers, this.newId) : saved.layers,
    };
    const layer = this.layerOf(flow, body);
    await assertAllLayers([layer]);
    if (!isTriable(layer.appId)) throw notTriable(layer);
    await this.links.assertMayRun(caller, {
      ...flow,
      layers: [layer],
      settings: { ...flow.settings, onFailure: null },
    });
    return this.inTurn(caller, async () => {
      const order = await this.orderOf(actor, flow, layer, body, gone);
      return toView(await this.ask(caller, order, gone), layer);
    });
  }

  private layerOf({ layers }: FlowDocument, { layer }: LayerTryBody): LayerDefinition {
    const { appId } = layer;
    if (appId !== undefined) return allLayers([{ ...layer, appId }], layers, this.newId)[0] as LayerDefinition;
    const saved = layers.find(({ ref }) => ref === layer.ref);
    if (saved) return saved;
    throw new WeftError('unknown_id', `The flow has no layer "${layer.ref}": give the whole layer, with its appId.`);
  }

  /** @throws WeftError `too_many_tries` */
  private async inTurn<T>({ companyId, userId }: Principal, work: () => Promise<T>): Promise<T> {
    const present = this.present.get(companyId) ?? 0;
    if (present >= AT_ONCE) throw tooMany('Others of your company try layers', 1);
    this.present.set(companyId, present + 1);
    try {
      const keys = this.names.tryRates(companyId, userId);
      const rates = [PER_MINUTE.user / 60, PER_MINUTE.company / 60] as const;
      const waitMs = await this.rates.take(keys, rates, BURST_SECONDS);
      if (waitMs > 0) throw tooMany(`You try at most ${PER_MINUTE.user} layers in a minute`, Math.ceil(waitMs / 1_000));
      return await work();
    } finally {
      const left = (this.present.get(companyId) ?? 1) - 1;
      if (left === 0) this.present.delete(companyId);
      else this.present.set(companyId, left);
    }
  }

  private async orderOf(
    actor: Actor,
    flow: FlowDocument,
    layer: LayerDefinition,
    { args = {}, outs = {}, item, confirm = false }: LayerTryBody,
    gone: AbortSignal,
  ): Promise<LayerTryOrder> {
    const { caller } = actor;
    const { layers: _, ...version } = versionWithin(flow, Number.MAX_SAFE_INTEGER);
    const vars = flow.blueprintVars ?? {};
    const shown = withSecretsHidden(vars, SECRET);
    const approvals = flow.layers.filter(({ appId, ref }) => appId === 'approval' && ref !== layer.ref);
    const tried: FlowVersion = { ...version, settings: flow.settings, layers: [...approvals, layer] };
    const change = { before: null, after: layer.ref };
    const changes = { layer: change, appId: { before: null, after: layer.appId } };
    return {
      asked: {
        playId: this.newId(),
        userId: caller.userId,
        version: tried,
        companyName: (await this.companies.find(new TenantScope(caller.companyId)))?.name ?? '',
        args,
        outs: await this.outsFor(caller, flow, layer, { args, outs }, gone),
        ...(item !== undefined && { item }),
        confirmed: confirm,
        secretVars: Object.keys(vars).filter((name) => shown[name] !== vars[name]),
        timeoutMs: TRY_LIMIT_MS,
      },
      entry: flowEntry(actor, 'layer_tried', flow._id, changes),
    };
  }

  /**
   * What the layer reads of earlier ones: what is given, or their samples; what only computes is computed from these.
   *
   * @throws WeftError `unresolved_refs`, `too_many_dry_runs`
   */
  private async outsFor(
    caller: Principal,
    flow: FlowDocument,
    layer: LayerDefinition,
    given: { readonly args: Outs; readonly outs: Outs },
    gone: AbortSignal,
  ): Promise<Outs> {
    const reads = readsOfLayer(versionWithin(flow, Number.MAX_SAFE_INTEGER), layer).map(({ ref }) => ref);
    const place = flow.layers.findIndex(({ ref }) => ref === layer.ref);
    const earlier = place === -1 ? flow.layers : flow.layers.slice(0, place);
    const known = await this.samples.outs(caller, flow, outsideOf(earlier, reads), given.outs);
    const missing = reads.filter((ref) => !Object.hasOwn(known, ref));
    const isComputable = missing.some((ref) => earlier.some((each) => each.ref === ref));
    const draft = { ...flow, layers: earlier };
    const computed = isComputable ? await this.computed(caller, draft, known, given.args, gone) : NOTHING;
    // a layer that only computes may have a sample, too: it counts where the layer cannot be computed
    const all = await this.samples.outs(caller, flow, reads, { ...computed.outs, ...known });
    const lacking = reads.filter((ref) => !Object.hasOwn(all, ref));
    if (lacking.length === 0) return Object.fromEntries(reads.map((ref) => [ref, all[ref]]));
    const { error } = computed;
    const why = error ? ` (a dry run ends at "${error.ref ?? ''}": ${error.message})` : '';
    const advice = `try it first and keep its answer as the sample, or give it in outs${why}`;
    const errors = lacking.map((ref) => ({
      ...{ path: `outs.${ref}`, code: 'missing', message: `nothing is known of what "${ref}" gives: ${advice}` },
    }));
    throw new WeftError('unresolved_refs', `${errors[0]?.path}: ${errors[0]?.message}.`, { errors });
  }

  /** By ref: what the layers give in a dry run. */
  private async computed(
    caller: Principal,
    flow: FlowDocument,
    known: Outs,
    args: Outs,
    gone: AbortSignal,
  ): Promise<{ readonly outs: Outs; readonly error: PlayError | null }> {
    await assertAllLayers(flow.layers);
    const refs = new Set(flow.layers.map(({ ref }) => ref));
    const own = Object.fromEntries(Object.entries(known).filter(([ref]) => refs.has(ref)));
    const fixtures = await this.samples.fixtures(caller, flow, own);
    // neither decides what a layer gives
    const settings = { ...flow.settings, lane: null, concurrency: null };
    const run = await this.dryRuns.run({ ...flow, when: null, settings }, { args, fixtures }, gone);
    const made = run.layers.filter(({ ref, state }) => state === 'DONE' && !run.missingFixtures.includes(ref));
    return { outs: Object.fromEntries(made.map(({ ref, out }) => [ref, out])), error: run.error };
  }

  /** @throws WeftError `confirm_needed`, `value_too_large`, `no_worker`, `store_unavailable`, `call_unanswered` */
  private async ask({ companyId }: Principal, order: LayerTryOrder, gone: AbortSignal): Promise<LayerTryAnswer> {
    const request = writeJson(order).json ?? 'null';
    const bytes = Buffer.byteLength(request);
    if (bytes > MAX_ORDER_BYTES) {
      const most = `Args and outputs that the layer reads may have ${MAX_ORDER_BYTES} bytes together`;
      throw new WeftError('value_too_large', `${most}, and have ${bytes}: keep smaller samples.`);
    }
    const end = await this.tries.ask({ companyId, request, answerMs: TRY_LIMIT_MS + MARGIN_MS, gone });
    if ('answer' in end) return parseStoredJson(end.answer) as LayerTryAnswer;
    // nobody reads it, and the installation has no fault
    if (end.none === 'gone') throw new WeftError('request_timeout', 'The request was closed before its answer.');
    if (end.none === 'unanswered') {
      const detail = 'The worker that took the call gave no answer: the call may have been made, or not.';
      throw new WeftError('call_unanswered', detail);
    }
    const [code, why] = NOT_CALLED[end.none];
    throw new WeftError(code, `${why} The layer was not called; try again.`, { retryAfterSeconds: 5 });
  }
}

const NOT_CALLED = {
  no_worker: ['no_worker', 'No worker runs.'],
  busy: ['no_worker', 'All workers are busy.'],
  unreachable: ['store_unavailable', 'Redis, through which workers are asked, cannot be reached.'],
} as const;

/** A key whose flows a person reviews makes no calls that nobody has seen. @throws WeftError `denied` */
function assertWithinKey({ mcp }: Principal, flowId: string): void {
  if (mcp?.drafts_only) {
    throw new WeftError(
      'denied',
      'This API key writes drafts only: it calls no layer. A person tries it, or a dry run shows it.',
    );
  }
  if (mcp?.flow_ids?.includes(flowId) === false) throw new WeftError('denied', 'This API key is for other flows.');
}

/** Those of the refs that are not computed from others. */
function outsideOf(earlier: readonly LayerDefinition[], refs: readonly string[]): readonly string[] {
  return refs.filter((ref) => {
    const layer = earlier.find((each) => each.ref === ref);
    return !layer || moduleOf(layer.appId)?.effect !== 'pure';
  });
}

function notTriable({ ref, appId }: LayerDefinition): WeftError {
  const why = appId === 'run-flow' ? 'it starts a play of another flow: run that flow' : 'it waits: run the flow';
  return new WeftError('not_triable', `"${ref}" cannot be called by itself, because ${why}, or look at a dry run.`);
}

function tooMany(what: string, seconds: number): WeftError {
  return new WeftError('too_many_tries', `${what}: wait ${seconds} s, then try again.`, { retryAfterSeconds: seconds });
}

/** @throws WeftError `confirm_needed` */
function toView({ kind, ...end }: LayerTryAnswer, { ref }: LayerDefinition): LayerTryView {
  const { request, error, input } = end;
  const { args } = withSecretsHidden({ args: input.args }, SECRET);
  if (kind === 'needs_confirm') {
    const call = request ? `${request.method} to ${URL.parse(request.url)?.host ?? 'its address'}` : 'a call';
    const detail = `"${ref}" would make ${call}, which may change something there: repeat it with confirm: true to make it.`;
    throw new WeftError('confirm_needed', detail, { extra: { request, args } });
  }
  const { out, outBytes, isCut, durationMs, logs } = end;
  const shown = error && { code: error.code, message: error.message, statusCode: error.statusCode ?? null };
  return { out, outBytes, isCut, error: shown, durationMs, request, logs, args, unresolved: input.unresolved };
}
