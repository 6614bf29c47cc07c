import { getQuickJS, Scope, type QuickJSContext, type QuickJSHandle, type VmCallResult } from 'quickjs-emscripten';
import type { CodeTask } from '../task.js';
import { Failed, Limit } from './limit.js';
import { PRELUDE } from './prelude.js';

const MEMORY_MB = 64;
const STACK_BYTES = 256 * 1024;
const FILE = 'source';

// taken before the realm is sealed
const quickjs = await getQuickJS();
const monotonicMs = performance.now.bind(performance);

/** What the prelude tells of the end of a run: texts of JSON, or what was thrown. */
interface Ending {
  readonly value?: string;
  readonly error?: { readonly text: string; readonly line: number | null };
  readonly logs: string;
}

/** JSON of `{ value, logs }`. Each run has a realm of its own, in WebAssembly: nothing of this process is in it. */
export function runCode({ source, input, nowMs, seed }: CodeTask, timeoutMs: number): string {
  const deadlineMs = monotonicMs() + timeoutMs;
  const isLate = (): boolean => monotonicMs() > deadlineMs;
  const runtime = quickjs.newRuntime({
    memoryLimitBytes: MEMORY_MB * 1024 * 1024,
    maxStackSizeBytes: STACK_BYTES,
    interruptHandler: isLate,
  });
  const context = runtime.newContext();
  const scope = new Scope();
  const take = (result: VmCallResult<QuickJSHandle>): QuickJSHandle => {
    if (result.error) throw faultOf(context, result.error, isLate(), timeoutMs);
    return scope.manage(result.value);
  };
  const tools = take(context.evalCode(PRELUDE, 'prelude'));
  const start = scope.manage(context.getProp(tools, 'start'));
  const body = take(context.evalCode(`(async function (input) {\n${source}\n})`, FILE));
  const parts = [input, String(nowMs), seed].map((text) => scope.manage(context.newString(text)));
  take(context.callFunction(start, context.undefined, body, ...parts));
  const jobs = runtime.executePendingJobs();
  if (jobs.error) throw faultOf(context, jobs.error, isLate(), timeoutMs);
  const ending = scope.manage(context.getProp(tools, 'ending'));
  const told = context.getString(take(context.callFunction(ending, context.undefined)));
  // after a failure the realm is left as it is: one that ran out of memory cannot always be taken apart
  scope.dispose();
  context.dispose();
  runtime.dispose();
  return valueOf(JSON.parse(told) as Ending, isLate(), timeoutMs);
}

function valueOf({ value, error, logs }: Ending, isLate: boolean, timeoutMs: number): string {
  if (error) throw asFault(error.text, error.line, isLate, timeoutMs);
  if (value === undefined) throw new Failed('the promise that the code waits for is never settled');
  return `{"value":${value},"logs":${logs}}`;
}

function faultOf(context: QuickJSContext, error: QuickJSHandle, isLate: boolean, timeoutMs: number): Error {
  const thrown: unknown = context.dump(error);
  const { name, message, stack } = (typeof thrown === 'object' && thrown !== null ? thrown : {}) as Record<
    string,
    unknown
  >;
  const line = typeof stack === 'string' ? lineIn(stack) : null;
  return asFault(typeof message === 'string' ? `${String(name)}: ${message}` : String(thrown), line, isLate, timeoutMs);
}

function asFault(text: string, line: number | null, isLate: boolean, timeoutMs: number): Error {
  if (isLate && text.includes('interrupted')) return new Limit(`The code took longer than ${timeoutMs} ms.`);
  // what is thrown without memory for an error is null
  if (text === 'null' || /^InternalError: (out of memory|string too long)/.test(text)) {
    return new Limit(`The code took more memory than ${MEMORY_MB} MB.`);
  }
  if (text.startsWith('InternalError: stack overflow')) return new Limit('The code calls itself too deep.');
  return new Failed(line === null ? text : `${text} (line ${line})`);
}

/** Of the user's own text, which begins in the second line of what is evaluated. */
function lineIn(stack: string): number | null {
  const line = new RegExp(`${FILE}:(\\d+)`).exec(stack)?.[1];
  return line === undefined ? null : Number(line) - 1;
}
