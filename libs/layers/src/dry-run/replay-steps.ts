/** Makes the steps of a layer again, each with the end that was recorded for it: nothing leaves the process. */
import { setImmediate as turn } from 'node:timers/promises';
import { LayerFailure, type LayerContext, type Output } from '../layer-module.js';
import { digestOf } from '../loops/done-items.js';
import type { RecordedStep, Step, SteppingModule } from '../stepping-module.js';

/** A step that has no recorded end. */
export class UnrecordedStep extends Error {
  override readonly name = 'UnrecordedStep';

  /** @param what it would have called: a tool, or its kind */
  constructor(readonly what: string) {
    super(`no end of a call of "${what}" is recorded`);
  }
}

export interface Replay {
  /** The first one that fits a step is its end: of the same kind and tool, and for the same request where it has a `digest`. */
  readonly records: readonly RecordedStep[];
  readonly onStep?: (step: Step, index: number, digest: string) => void;
}

/** After this time the event loop handles other work. */
const TURN_MS = 10;

/**
 * @returns the output of the layer
 * @throws UnrecordedStep; LayerFailure as the layer fails, with what it leaves; the reason of the signal
 */
export async function replaySteps<Args>(
  module: SteppingModule<Args>,
  args: Args,
  { records, onStep }: Replay,
  context: LayerContext,
): Promise<Output> {
  const left = [...records];
  const outs: Output[] = [];
  const endOf = async (step: Step): Promise<Output> => {
    const digest = digestOf(step.request);
    onStep?.(step, outs.length, digest);
    if (step.does === 'call' && !step.recorded) return step.run(context);
    const at = left.findIndex((record) => fits(record, step, digest));
    const [found] = at === -1 ? [] : left.splice(at, 1);
    if (!found) throw new UnrecordedStep(step.name.tool ?? step.name.kind);
    return step.does === 'ask' ? step.answered(found) : (step.recorded?.(found, context) ?? found);
  };
  try {
    for (let turnAtMs = performance.now(); ;) {
      const next = module.next(args, outs);
      if ('end' in next) return next.end;
      for (const step of next.steps) outs.push(await endOf(step));
      context.signal.throwIfAborted();
      if (performance.now() - turnAtMs <= TURN_MS) continue;
      await turn();
      turnAtMs = performance.now();
    }
  } catch (error) {
    if (!(error instanceof LayerFailure) || context.signal.aborted) throw error;
    const { code, message } = error;
    throw new LayerFailure(code, `step ${outs.length}: ${message}`, module.soFar(args, outs, code), { cause: error });
  }
}

function fits(record: RecordedStep, { name }: Step, digest: string): boolean {
  if (record.kind !== name.kind || record.tool !== name.tool) return false;
  return record.digest === undefined || record.digest === digest;
}
