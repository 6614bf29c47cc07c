// @ts-check
// The tasks of a page's main thread, from a trace of Chromium.
export const GOAL_MS = 100;

/** By which playwright asks a page something. */
const TOOL = 'blink.mojom.DevToolsSession';
/** Of a task. */
const MOST_PARTS = 4;

/**
 * What a trace has of it, times in microseconds: `dur` by the clock, `tdur` of the processor.
 * @typedef {{ name: string, ph: string, pid: number, tid: number, ts: number, dur?: number, tdur?: number, args?: any }} TraceEvent
 */

/**
 * The task that takes the processor for longest, without those in which playwright looks into the page.
 * @param {readonly TraceEvent[]} events
 * @returns {{ readonly cpu: number, readonly wall: number, readonly over: number, readonly what: string }} milliseconds; `over`: how
 *   many take longer than the goal; `what`: its longest parts
 */
export function worstOf(events) {
  const mains = new Set(
    events
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const ofMain = events.filter(({ ph, pid, tid }) => ph === 'X' && mains.has(`${pid} ${tid}`));
  const looks = ofMain.filter(({ args }) => args?.chrome_mojo_event_info?.mojo_interface_tag === TOOL);
  const tasks = ofMain
    .filter((task) => task.name === 'RunTask' && !looks.some((look) => isWithin(look, task)))
    .toSorted(longestFirst);
  const [worst] = tasks;
  if (!worst) return { cpu: 0, wall: 0, over: 0, what: '' };
  return {
    cpu: inMs(worst.tdur),
    wall: inMs(worst.dur),
    over: tasks.filter(({ tdur }) => inMs(tdur) > GOAL_MS).length,
    what: ofMain
      .filter((part) => part !== worst && isWithin(part, worst))
      .toSorted(longestFirst)
      .slice(0, MOST_PARTS)
      .map(({ name, tdur, args }) => `${name} ${args?.data?.type ?? args?.data?.functionName ?? ''} ${inMs(tdur)}`)
      .join(', '),
  };
}

const inMs = (/** @type {number | undefined} */ us) => Math.round((us ?? 0) / 1_000);

/** @param {TraceEvent} a @param {TraceEvent} b */
const longestFirst = (a, b) => (b.tdur ?? 0) - (a.tdur ?? 0);

/** @param {TraceEvent} part @param {TraceEvent} whole */
function isWithin(part, whole) {
  return (
    part.pid === whole.pid && part.tid === whole.tid && part.ts >= whole.ts && part.ts < whole.ts + (whole.dur ?? 0)
  );
}
