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
import { SandboxBroken, TaskFailed, LimitExceeded } from './errors.js';
import { ownCpuTimeMs } from './own-cpu-time.js';
import { PRELUDE } from './prelude.js';

const MEMORY_MB = 64;
const STACK_BYTES = 256 * 1024;
const SOURCE_FILE = 'source';
const PAGE_BYTES = 65_536;
/**
 * Memory for one realm with its input and answer, which are stored in it as texts of up to 4 bytes a character. All of it is
 * reserved at the start: when memory grows while a realm runs, the library leaks objects of the realm. The operating system
 * allocates only the pages that are used.
 */
const PAGES = ((MEMORY_MB + 96) * 1024 * 1024) / PAGE_BYTES;

/** The part that is used here: TypeScript declares `WebAssembly` for browsers only. */
declare const WebAssembly: {
  readonly Memory: new (pages: { readonly initial: number; readonly maximum: number }) => never;
};

// these read globals, so they run before the realm is sealed
const memory = new WebAssembly.Memory({ initial: PAGES, maximum: PAGES });
const quickjs = await newQuickJSWASMModule(newVariant(RELEASE_SYNC, { wasmMemory: memory }));

/** What the prelude returns after a run: JSON texts, or the error that was thrown. */
interface RunResult {
  readonly value?: string;
  readonly error?: { readonly text: string; readonly line: number | null };
  readonly logs: string;
}

/**
 * JSON of `{ value, logs }`. Each run has a realm of its own in WebAssembly: it contains nothing of this process, and nothing of
 * it remains after the run.
 *
 * @param timeoutMs for how long it may have a processor
 * @throws TaskFailed, LimitExceeded, SandboxBroken
 */
export function runCode(task: CodeTask, timeoutMs: number, cpuTimeMs = ownCpuTimeMs): string {
  const realm = new Scope();
  let limit: LimitExceeded | undefined;
  try {
    return runInRealm(realm, task, timeoutMs, cpuTimeMs);
  } catch (error) {
    if (error instanceof LimitExceeded) limit = error;
    if (error instanceof LimitExceeded || error instanceof TaskFailed) throw error;
    throw new SandboxBroken('the code could not be run', { cause: error });
  } finally {
    disposeRealm(realm, limit);
  }
}

/** A realm that ran out of memory cannot always be disposed of; then the exceeded limit is the error to report. */
function disposeRealm(realm: Scope, limit: LimitExceeded | undefined): void {
  try {
    realm.dispose();
  } catch (cause) {
    throw limit ?? new SandboxBroken('the realm could not be disposed of', { cause });
  }
}

/** @param realm collects everything that is created here; it disposes of it in reverse order */
function runInRealm(
  realm: Scope,
  { source, input, nowMs, seed }: CodeTask,
  timeoutMs: number,
  cpuTimeMs: () => number,
): string {
  const limitMs = cpuTimeMs() + timeoutMs;
  const isLate = (): boolean => cpuTimeMs() > limitMs;
  const runtime = realm.manage(
    quickjs.newRuntime({
      memoryLimitBytes: MEMORY_MB * 1024 * 1024,
      maxStackSizeBytes: STACK_BYTES,
      interruptHandler: isLate,
    }),
  );
  const context = realm.manage(runtime.newContext());
  const take = (result: VmCallResult<QuickJSHandle>): QuickJSHandle => {
    if (result.error) throw errorOfHandle(context, realm.manage(result.error), isLate(), timeoutMs);
    return realm.manage(result.value);
  };
  const tools = take(context.evalCode(PRELUDE, 'prelude'));
  const start = realm.manage(context.getProp(tools, 'start'));
  const body = take(context.evalCode(`(async function (input) {\n${source}\n})`, SOURCE_FILE));
  const parts = [input, String(nowMs), seed].map((text) => realm.manage(context.newString(text)));
  take(context.callFunction(start, context.undefined, body, ...parts));
  const jobs = realm.manage(runtime.executePendingJobs());
  if (jobs.error) throw errorOfHandle(context, jobs.error, isLate(), timeoutMs);
  const ending = realm.manage(context.getProp(tools, 'ending'));
  const result = context.getString(take(context.callFunction(ending, context.undefined)));
  return valueOf(JSON.parse(result) as RunResult, isLate(), timeoutMs);
}

function valueOf({ value, error, logs }: RunResult, isLate: boolean, timeoutMs: number): string {
  if (error) throw errorOf(error.text, error.line, isLate, timeoutMs);
  if (value === undefined) throw new TaskFailed('the promise that the code waits for is never settled');
  return `{"value":${value},"logs":${logs}}`;
}

function errorOfHandle(context: QuickJSContext, error: QuickJSHandle, isLate: boolean, timeoutMs: number): Error {
  const thrown: unknown = context.dump(error);
  const { name, message, stack } = (typeof thrown === 'object' && thrown !== null ? thrown : {}) as Record<
    string,
    unknown
  >;
  const line = typeof stack === 'string' ? lineIn(stack) : null;
  return errorOf(typeof message === 'string' ? `${String(name)}: ${message}` : String(thrown), line, isLate, timeoutMs);
}

function errorOf(text: string, line: number | null, isLate: boolean, timeoutMs: number): Error {
  if (isLate && text.includes('interrupted')) return new LimitExceeded(`The code took longer than ${timeoutMs} ms.`);
  // QuickJS throws null when it has no memory for an error object
  if (text === 'null' || /^InternalError: (out of memory|string too long)/.test(text)) {
    return new LimitExceeded(`The code took more memory than ${MEMORY_MB} MB.`);
  }
  if (text.startsWith('InternalError: stack overflow')) return new LimitExceeded('The code calls itself too deep.');
  return new TaskFailed(line === null ? text : `${text} (line ${line})`);
}

/** Line of the user's text, which starts in the second line of the evaluated source. */
function lineIn(stack: string): number | null {
  const line = new RegExp(`${SOURCE_FILE}:(\\d+)`).exec(stack)?.[1];
  return line === undefined ? null : Number(line) - 1;
}
