import { assertRunnable, canReadFirstRetry, type FlowCache, type PlayAcceptance } from '@weft/runs';
import { isFinal, outputRef } from '@weft/contracts';
import { outOf, type LayerResult, type Play } from '@weft/engine';
import { jsonFault, WeftError } from '@weft/kernel';
import { LayerFailure, type PlayEnd, type PlaysSource, type StartPlayRequest } from '@weft/layers';
import {
  SystemScope,
  TenantScope,
  type EndedPlay,
  type EndedPlaysRepository,
  type LoopChildrenRepository,
  type LoopKey,
  type PayloadStore,
} from '@weft/persistence';
import {
  adoptRetry,
  earlierChild,
  pauseInCall,
  retryChild,
  type EarlierChildDeps,
  type Pause,
} from './earlier-child.js';
import { assertNoneWaitsFor } from './waits-for-itself.js';
import { retryWhileUnavailable } from '../plays/store-retries.js';

const LOOPS = new SystemScope('the loops of plays that this worker runs');
/** How deep plays may start plays. Flows that call each other end at this depth. */
export const MAX_DEPTH = 16;
/** A layer looks again when something else was faster, usually once. In all, it waits 15 s for what a majority does not have yet. */
const MOST_LOOKS = 10;
const LOOK_PAUSE_MS = 5;

/** One look: the play of the layer, or else the earlier one that something else has retried, or waits for, in this moment. */
type Look =
  { readonly play: Play } | { readonly play?: undefined; readonly earlier: Play; readonly wasRetried: boolean };

export interface ChildPlaysDeps extends EarlierChildDeps {
  readonly flows: Pick<FlowCache, 'get'>;
  readonly acceptance: Pick<PlayAcceptance, 'accept' | 'acceptPrepared' | 'laneOf' | 'nextPlayId'>;
  readonly loops: Pick<LoopChildrenRepository, 'markCollected' | 'countEnds' | 'countUncollected'>;
  readonly endings: Pick<EndedPlaysRepository, 'endedAmong'>;
  readonly payloads: Pick<PayloadStore, 'output' | 'share' | 'letGo' | 'userFiles'>;
  readonly closing: () => boolean;
}

/**
 * Plays that layers start: accepted like any run. The store keeps at most one child play for each layer of each play, so
 * that a layer that is called again after a crash finds the child that it has started. A layer of a retry continues with the
 * child that it started before.
 */
export function childPlays(parts: ChildPlaysDeps, pause: Pause = pauseInCall): PlaysSource {
  const { flows, acceptance, children, loops, endings, payloads, closing } = parts;
  const ended = async (companyId: string, playId: string): Promise<PlayEnd | null> => {
    const [found] = await retryWhileUnavailable(() => endings.endedAmong([playId]), closing);
    return found?.company_id === companyId ? retryWhileUnavailable(() => toPlayEnd(found, payloads), closing) : null;
  };

  const look = async (
    parent: Play,
    layer: number,
    { flowId, args, awaited }: StartPlayRequest,
    item?: number,
    /** A failed play whose first retry was seen. If that has led to no other play, a second one is made. */
    knownRetried?: string,
  ): Promise<Look> => {
    const scope = new TenantScope(parent.company_id);
    const before = await children.childOf(scope, flowId, parent._id, layer, item);
    if (before) return { play: before };
    const earlier = await earlierChild(parent, flowId, { layer, item }, parts);
    const isOpen = earlier !== null && !isFinal(earlier.state);
    if (earlier && earlier.state !== 'FAIL' && !(isOpen && awaited)) return { play: earlier };
    const depth = (parent.parent?.depth ?? 0) + 1;
    if (depth > MAX_DEPTH) throw new LayerFailure('too_deep', `Flows run flows ${MAX_DEPTH} deep at most.`);
    const place = item === undefined ? { layer } : { loop: layer, item };
    const marks = { parentPlayId: parent._id, parent: { flowId: parent.flowId, ...place, depth } };
    const pending = item === undefined ? { parentPending: true as const } : { loopPending: true as const };
    if (earlier && isOpen) {
      const isAdopted = await adoptRetry(earlier, parent, { ...marks, ...pending }, parts);
      return isAdopted ? { play: earlier } : { earlier, wasRetried: false };
    }
    // computed, so not validated yet
    const fault = jsonFault(args, 'args');
    if (fault) throw new LayerFailure('invalid_args', `"${fault.path}" ${fault.message}.`);
    const flow = await flows.get(scope, flowId);
    if (!flow) throw new LayerFailure('flow_not_found', `The company has no flow "${flowId}".`);
    assertRunnable(flow);
    const lane = earlier?.lane ?? (await acceptance.laneOf(flow, { args }));
    if (awaited) await assertNoneWaitsFor(flow, lane, parent, children);
    const { triggeredBy, priority, handlesFailureOf } = parent;
    const of = { triggeredBy, priority, ...marks };
    const onlyFirst = earlier?._id !== knownRetried;
    const retried = earlier && (await retryChild(earlier, flow, { ...of, ...(awaited && pending) }, parts, onlyFirst));
    // this layer, in another hand-out, or a user was faster, and is found now
    if (earlier && retried?.wasRetried) return { earlier, wasRetried: true };
    // a new play of the flow as it is now, maybe in another lane
    if (earlier && !retried && awaited)
      await assertNoneWaitsFor(flow, await acceptance.laneOf(flow, { args }), parent, children);
    const { play, wasThere } =
      retried ??
      (await acceptance.accept(flow, {
        ...{ ...of, args, trigger: 'flow', awaited, handlesFailureOf },
        parentLabels: parent.labels,
      }));
    // another hand-out of the parent was faster
    const stored = wasThere ? await children.childOf(scope, flowId, parent._id, layer, item) : null;
    return { play: stored ?? play };
  };

  const accept = async (
    parent: Play,
    layer: number,
    ask: StartPlayRequest,
    item: number | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Play> => {
    let last: Play | undefined;
    let knownRetried: string | undefined;
    for (let i = 0; i < MOST_LOOKS; i += 1) {
      if (i > 0) await pause(LOOK_PAUSE_MS * 2 ** i, signal);
      const found = await look(parent, layer, ask, item, knownRetried);
      if (found.play) return found.play;
      last = found.earlier;
      const isKnown = found.wasRetried && (await canReadFirstRetry(last, children, (ms) => pause(ms, signal)));
      knownRetried = isKnown ? last._id : undefined;
    }
    const message = `The play ${last?._id ?? ''}, which this layer started before the retry, is retried or waited for by something else, and what became of it cannot be read yet: retry once more.`;
    throw new LayerFailure('child_running', message);
  };

  return {
    start: async (parent, position, ask, item, signal) => {
      try {
        const accepted = () => accept(parent, position, ask, item, signal);
        const { _id: playId, state } = await retryWhileUnavailable(accepted, closing);
        const end = isFinal(state) ? await ended(parent.company_id, playId) : null;
        // erased in this moment: nothing would end the wait for it
        if (isFinal(state) && !end && ask.awaited)
          throw new LayerFailure('child_failed', `The play ${playId} is not stored any more.`);
        return { playId, state: state === 'NEW' ? 'RUN' : state, ended: end };
      } catch (error) {
        if (error instanceof WeftError) throw new LayerFailure(error.code, error.message, undefined, { cause: error });
        throw error;
      }
    },
    collected: (parent, position, items) =>
      retryWhileUnavailable(
        () => loops.markCollected(new TenantScope(parent.company_id), parent._id, position, items),
        closing,
      ),
    countEnded: (parent, position, most) =>
      retryWhileUnavailable(() => loops.countEnds(LOOPS, loopOf(parent, position), most), closing),
    countUncollected: (parent, position, most) =>
      retryWhileUnavailable(() => loops.countUncollected(LOOPS, loopOf(parent, position), most), closing),
    ended,
  };
}

function loopOf({ company_id: companyId, flowId, _id: playId }: Play, position: number): LoopKey {
  return { companyId, flowId, playId, position };
}

/** Larger outputs of a play are passed as a reference. */
const WHOLE_BYTES = 1024 * 1024;

type Payloads = ChildPlaysDeps['payloads'];

async function toPlayEnd(play: EndedPlay, payloads: Payloads): Promise<PlayEnd> {
  const { _id: playId, state, error, last } = play;
  return { playId, state, out: last && (await outputOf(play, last, payloads)), error: error ?? null };
}

async function outputOf(play: EndedPlay, result: LayerResult, payloads: Payloads): Promise<unknown> {
  const { ref, outRef } = result;
  if (!outRef) return outOf(result);
  const whole = outRef.bytes <= WHOLE_BYTES;
  const stored = whole ? await payloads.output(new TenantScope(play.company_id), outRef) : null;
  return stored ? stored.out : outputRef(play._id, ref, outRef.bytes);
}
