import {
  newQuickJSWASMModule,
  newVariant,
  RELEASE_SYNC,
  Scope,
  type QuickJSContext,
  type QuickJSHandle,
  type VmCallResult,
} from 'quickjs-emscripten';
import type { CodeTask } from '../task.js';
import { Broken, Failed, Limit } from './limit.js';
import { PRELUDE } from './prelude.js';

const MEMORY_MB = 64;
const STACK_BYTES = 256 * 1024;
const FILE = 'source';
const PAGE_BYTES = 65_536;
/**
 * Room for one realm with its input and answer, which are in there as texts of up to 4 bytes a character. All of it from the
 * beginning: where memory grows while a realm is at work, the library leaves objects of the realm behind. The system gives
 * pages only where they are used.
 */
const PAGES = ((MEMORY_MB + 96) * 1024 * 1024) / PAGE_BYTES;

/** What of it is used here: TypeScript knows it as a part of browsers only. */
declare const WebAssembly: {
  readonly Memory: new (pages: { readonly initial: number; readonly maximum: number }) => never;
};

// taken before the realm is sealed
const memory = new WebAssembly.Memory({ initial: PAGES, maximum: PAGES });
const quickjs = await newQuickJSWASMModule(newVariant(RELEASE_SYNC, { wasmMemory: memory }));
const monotonicMs = performance.now.bind(performance);

/** What the prelude tells of the end of a run: texts of JSON, or what was thrown. */
interface Ending {
  readonly value?: string;
  readonly error?: { readonly text: string; readonly line: number | null };
  readonly logs: string;
}

/**
 * JSON of `{ value, logs }`. Each run has a realm of its own, in WebAssembly: nothing of this process is in it, and nothing of
 * it is left when it has ended.
 *
 * @throws Failed, Limit, Broken
 */
export function runCode(task: CodeTask, timeoutMs: number): string {
  const realm = new Scope();
  let limit: Limit | undefined;
  try {
    return runInRealm(realm, task, timeoutMs);
  } catch (error) {
    if (error instanceof Limit) limit = error;
    if (error instanceof Limit || error instanceof Failed) throw error;
    throw new Broken('the code could not be run', { cause: error });
  } finally {
    disposeOf(realm, limit);
  }
}

/** One that ran out of memory cannot always be taken apart; then its limit is what there is to say. */
function disposeOf(realm: Scope, limit: Limit | undefined): void {
  try {
    realm.dispose();
  } catch (cause) {
    throw limit ?? new Broken('the realm could not be disposed of', { cause });
  }
}

/** @param realm what is made is put into it, to be disposed of: what was made last first */
function runInRealm(realm: Scope, { source, input, nowMs, seed }: CodeTask, timeoutMs: number): string {
  const deadlineMs = monotonicMs() + timeoutMs;
  const isLate = (): boolean => monotonicMs() > deadlineMs;
  const runtime = realm.manage(
    quickjs.newRuntime({
      memoryLimitBytes: MEMORY_MB * 1024 * 1024,
      maxStackSizeBytes: STACK_BYTES,
      interruptHandler: isLate,
    }),
  );
  const context = realm.manage(runtime.newContext());
  const take = (result: VmCallResult<QuickJSHandle>): QuickJSHandle => {
    if (result.error) throw faultOf(context, realm.manage(result.error), isLate(), timeoutMs);
    return realm.manage(result.value);
  };
  const tools = take(context.evalCode(PRELUDE, 'prelude'));
  const start = realm.manage(context.getProp(tools, 'start'));
  const body = take(context.evalCode(`(async function (input) {\n${source}\n})`, FILE));
  const parts = [input, String(nowMs), seed].map((text) => realm.manage(context.newString(text)));
  take(context.callFunction(start, context.undefined, body, ...parts));
  const jobs = realm.manage(runtime.executePendingJobs());
  if (jobs.error) throw faultOf(context, jobs.error, isLate(), timeoutMs);
  const ending = realm.manage(context.getProp(tools, 'ending'));
  const told = context.getString(take(context.callFunction(ending, context.undefined)));
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
