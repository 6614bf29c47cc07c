import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { SETTINGS, type Settings } from '@weft/config';
import { FairTaskRunner } from '@weft/concurrency';
import { parseStoredJson, writeJson, type Drainable } from '@weft/kernel';
import { faceKeysOf, firstPart, HeldMemory, LayerFailure, tryLayer, type GivenModuleServices } from '@weft/layers';
import { LOG, warnRarely } from '@weft/observability';
import { LayerTries, type OfferedTry } from '@weft/realtime-bus';
import { OperationFaces } from '@weft/records';
import { CompanyLimits, TRY_LIMIT_MS, type LayerTryAnswer, type LayerTryOrder } from '@weft/runs';
import { Mongo, recordAlone, TenantScope } from '@weft/store';
import type { Logger } from 'pino';
import { LayerServices } from '../layers/layer-runner.provider.js';

/** Calls at once; those that take long make room for others. */
const PLACES = { concurrency: 4, slow: { concurrency: 12, afterMs: 1_000 }, maxRunningPerCompany: 4 } as const;
const WAITING = { perCompany: 40, total: 400 } as const;
/** Of an answer; it is what a sample may have. */
const MAX_OUT_BYTES = 256 * 1024;
/** What bodies of answers hold at once, of each size. */
const HELD_BYTES = 64 * 1024 * 1024;

/** Makes the calls of layers that somebody tries while they build a flow: plays know nothing of them. */
@Injectable()
export class TriedLayers implements OnApplicationBootstrap, Drainable {
  private readonly running = new Map<
    string,
    { readonly stop: (why: LayerFailure) => void; readonly done: Promise<void> }
  >();
  private readonly runner: FairTaskRunner<OfferedTry>;
  private readonly services: GivenModuleServices;
  private readonly onTrouble: (error: unknown) => void;
  private stopListening: () => void = () => undefined;

  constructor(
    private readonly tries: LayerTries,
    private readonly mongo: Mongo,
    private readonly faces: OperationFaces,
    private readonly limits: CompanyLimits,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOG) log: Logger,
    { given, payloads }: LayerServices,
  ) {
    const { files = null } = payloads;
    this.services = {
      ...given,
      memory: new HeldMemory(HELD_BYTES),
      // nothing that a try makes belongs to a play, so nothing would ever remove a file
      files: files && { open: files.open.bind(files), store: () => Promise.reject(NO_FILES) },
    };
    this.onTrouble = warnRarely(log, 'worker', 'could not try a layer');
    this.runner = new FairTaskRunner({ ...PLACES, maxWaiting: WAITING, run: (offer) => this.run(offer) });
  }

  onApplicationBootstrap(): void {
    this.stopListening = this.tries.serve({
      offered: (offer) => void this.addOwn(offer).catch(this.onTrouble),
      withdrawn: (id) => this.running.get(id)?.stop(NOBODY_WAITS),
    });
  }

  /** Takes no more, and lets those that run end while there is time. */
  async drain(deadlineMs: number): Promise<void> {
    this.stopListening();
    this.runner.clear();
    const stop = setTimeout(() => {
      for (const each of this.running.values()) each.stop(STOPPING);
    }, deadlineMs / 2);
    await Promise.all([...this.running.values()].map(({ done }) => done));
    clearTimeout(stop);
  }

  /** Those of companies with another label are left to their workers. */
  private async addOwn(offer: OfferedTry): Promise<void> {
    const label = await this.limits.workerLabel(offer.companyId);
    if (label === this.settings.worker.label) this.runner.add(offer.companyId, offer);
  }

  private async run(offer: OfferedTry): Promise<void> {
    const ended = new AbortController();
    const { promise: done, resolve } = Promise.withResolvers<void>();
    // a try may be withdrawn as soon as it is taken
    this.running.set(offer.id, { stop: (why) => ended.abort(why), done });
    const limit = setTimeout(() => ended.abort(TOO_LONG), TRY_LIMIT_MS);
    try {
      const text = await offer.take();
      if (text === null) return;
      const answer = await this.answerTo(parseStoredJson(text) as LayerTryOrder, ended.signal).catch(
        (error: unknown) => {
          this.onTrouble(error);
          return BROKEN;
        },
      );
      await offer.answer(writeJson(answer).json ?? 'null');
    } catch (error) {
      this.onTrouble(error);
    } finally {
      clearTimeout(limit);
      this.running.delete(offer.id);
      resolve();
    }
  }

  private async answerTo({ asked, entry }: LayerTryOrder, signal: AbortSignal): Promise<LayerTryAnswer> {
    const { companyId, layers } = asked.version;
    const { services, mongo } = this;
    const faces = await this.faces.find(new TenantScope(companyId), faceKeysOf(layers));
    const serverNow = () => mongo.serverNow();
    const onCall = async ({ request }: { readonly request: { readonly method: string } | null }): Promise<void> => {
      const method = { before: null, after: request?.method ?? null };
      const changes = { ...entry.changes, ...(request && { method }) };
      await recordAlone(mongo, { ...entry, changes });
      if (signal.aborted) throw signal.reason;
    };
    const onFault = this.onTrouble;
    const end = await tryLayer(asked, { services, faces, signal, serverNow, onCall, onFault });
    const { value: out, bytes: outBytes, isCut } = firstPart(end.out, MAX_OUT_BYTES);
    const { value: args } = firstPart(end.input.args, MAX_OUT_BYTES);
    return { ...end, out, outBytes, isCut, input: { ...end.input, args } };
  }
}

const NO_FILES = new LayerFailure('invalid_args', 'A layer that is tried stores no file: run the flow to see it.');
const NOBODY_WAITS = new LayerFailure('cancelled', 'Nobody waits for the answer any more.');
const TOO_LONG = new LayerFailure(
  'timeout',
  `The layer took longer than ${TRY_LIMIT_MS} ms, as long as a try may take.`,
);
const STOPPING = new LayerFailure('cancelled', 'The worker that made the call stops: try again.');
/** Another build has asked for something that this one cannot read. */
const BROKEN: LayerTryAnswer = {
  ...{ kind: 'not_called', out: null, outBytes: 4, isCut: false, durationMs: 0, request: null, logs: [] },
  error: { code: 'internal', message: 'The worker could not try the layer.' },
  input: { args: null, expressions: {}, unresolved: [] },
};
