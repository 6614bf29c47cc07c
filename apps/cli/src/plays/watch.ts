import { setTimeout as pause } from 'node:timers/promises';
import { isWeftError } from '@weft/client';
import { clean, toJson, word } from '../io/clean.js';
import { EXIT, Exit, interruption } from '../io/exit.js';
import type { Session } from '../session/cli.js';
import { LiveLines } from './live-lines.js';
import { PlayTree } from './play-tree.js';

/** A longer timer would fire at once. */
const LONGEST_MS = 2 ** 31 - 1;
const ASK_AGAIN_MS = 5_000;

export interface WatchLimits {
  /** Then it exits with 11, and the play goes on. */
  readonly timeoutMs?: number;
}

/** Shows a play until it has ended, waits for a person, or the time is over. Its end decides the exit code. */
export async function watchToTheEnd(session: Session, playId: string, { timeoutMs }: WatchLimits = {}): Promise<void> {
  const { terminal, signal } = session;
  const over = timeoutMs === undefined ? undefined : AbortSignal.timeout(Math.min(timeoutMs, LONGEST_MS));
  const until = over ? AbortSignal.any([signal, over]) : signal;
  try {
    await show(session, playId, until);
    await end(session, playId, until);
  } catch (error) {
    // what is known of the play is said, also when the time is over by now
    if (error instanceof Exit && !signal.aborted) throw error;
    const [goesOn, hint] = [`the play goes on: ${clean(playId)}`, `weft plays watch ${word(playId)}`];
    if (signal.aborted) throw interruption(signal, `Interrupted; ${goesOn}`, hint);
    if (over?.aborted) throw new Exit(EXIT.goesOn, `The time is over; ${goesOn}`, hint);
    // the play may have been started by this command: nobody else knows its id
    if (isWeftError(error) && error.isRetryable) terminal.say(`The play: ${clean(playId)}`);
    throw error;
  }
}

async function show(session: Session, playId: string, signal: AbortSignal): Promise<void> {
  const { weft, terminal } = session;
  const play = await weft.plays.get(playId, { signal });
  const [flow, layers] = await Promise.all([
    weft.flows.get(play.flowId, { signal }).catch(() => null),
    weft.plays.layers(playId, { signal }),
  ]);
  const tree = new PlayTree(playId, flow?.name ?? play.flowId, layers, play.state);
  const screen = new LiveLines(terminal);
  const draw = () => {
    if (!terminal.isJson) screen.draw(tree.lines((colour, text) => terminal.tint(colour, text)));
  };
  draw();
  const onCut = (why: string) => terminal.say(`${clean(why)}; trying again …`);
  let state: string | null = null;
  for await (const frame of weft.plays.watch(playId, { signal, onCut })) {
    tree.take(frame);
    if (terminal.isJson) terminal.line(toJson(frame));
    // four lines a second, where they cannot be drawn over, would tell nothing
    if (frame.type !== 'layer_delta' || terminal.streams.err.isTTY) draw();
    if (frame.type === 'play_state_change') state = frame.data.new_status;
    // also at frames of layers: of two questions that are asked at once, one may be answered
    if (state === 'WAIT') await leaveIfItWaits(session, playId, signal);
  }
}

async function leaveIfItWaits(session: Session, playId: string, signal: AbortSignal): Promise<void> {
  const { reason, ref, message } = await readWaiting(session, playId, signal);
  if (reason !== 'approval') return;
  if (message !== null) session.terminal.say(clean(message));
  throw new Exit(
    EXIT.waitsForPerson,
    `The play waits for a person at ${clean(ref ?? '')}: ${clean(playId)}`,
    `weft approvals decide ${word(playId)} ${word(ref ?? '')} --approve`,
  );
}

/** Until there is an answer: the play may wait for a person, and no frame would come any more. */
async function readWaiting({ weft }: Session, playId: string, signal: AbortSignal) {
  for (;;) {
    try {
      return await weft.plays.waiting(playId, { signal });
    } catch (error) {
      if (!isWeftError(error) || !error.isRetryable) throw error;
      await pause(ASK_AGAIN_MS, undefined, { signal });
    }
  }
}

async function end({ weft, terminal }: Session, playId: string, signal: AbortSignal): Promise<void> {
  const { state, out, error } = await weft.plays.wait(playId, { signal });
  if (!terminal.isJson) terminal.json(out);
  if (state !== 'FAIL') return;
  const place = error?.ref ? ` at ${clean(error.ref)}` : '';
  throw new Exit(
    EXIT.playFailed,
    `The play has failed${place}: ${clean(error?.message ?? '')} (${clean(error?.code ?? '')})`,
    `weft plays why ${word(playId)}`,
  );
}
