import { LayerFailure, type LayerContext, type Output } from '../layer-module.js';
import type { RecordedStep, Step, SteppingModule } from '../stepping-module.js';
import type { Records } from './recorded-version.js';
import { replaySteps, UnrecordedStep } from './replay-steps.js';

interface NotedLayer {
  readonly ref: string;
  readonly module: SteppingModule<unknown>;
  readonly args: unknown;
  readonly steps: readonly RecordedStep[];
}

/**
 * Notes what each step of a layer asks where the steps before it end as they were recorded, and how the layer ends. The first step
 * that has no recorded end is the last one.
 */
export async function noteSteps(
  { ref, module, args, steps }: NotedLayer,
  { calls, faces }: Pick<Records, 'calls' | 'faces'>,
  context: LayerContext,
): Promise<Output> {
  let count = 0;
  const note = (asks: object): void => {
    calls.add(ref, count, asks);
    count += 1;
  };
  calls.inSteps.add(ref);
  // of another version every request is another one: they count by their order
  const records = steps.map(({ digest: _digest, ...record }) => record);
  try {
    const bound: unknown = module.bind ? module.bind(args, undefined, faces) : args;
    const onStep = ({ name, asks }: Step, index: number, digest: string): void => {
      const was = steps[index];
      if (was && was.digest !== digest) calls.unknown.add(ref);
      note({ ...name, ...asks });
    };
    const out = await replaySteps(module, bound, { records, onStep }, context);
    note({ ends: shownEnd(out) });
  } catch (error) {
    if (error instanceof LayerFailure) note({ fails: { code: error.code, message: error.message } });
    else if (!(error instanceof UnrecordedStep)) throw error;
    if (count < steps.length) calls.unknown.add(ref);
  }
  return {};
}

/** The list of its steps is what was noted before. */
function shownEnd({ steps: _steps, ...end }: Output): Output {
  return end;
}
