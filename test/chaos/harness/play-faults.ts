import type { LogEntry, Play } from '@weft/engine';
import { isLegal, isOver } from './legal-moves.js';

/** Two processes read the time of the same server, each with its own estimate of the answer's latency. */
export const CLOCK_TOLERANCE_MS = 250;

/** Fields of plays that have not ended. */
const OPEN_ONLY = [
  ...(['owner', 'heartbeatAt', 'dueAt', 'strict', 'started', 'held'] as const),
  ...(['waits', 'waitsFor', 'tries', 'deadlineAt', 'queues'] as const),
];

/** The faults of a stored play when no work is left: docs/reliability.md I3, I7, I9, I16. Empty: no faults. */
export function playFaults(play: Play, clockErrorMs = CLOCK_TOLERANCE_MS): string[] {
  return [...endFaults(play), ...logFaults(play.log, play), ...layerFaults(play, clockErrorMs)].map(
    (fault) => `${play._id}: ${fault}`,
  );
}

function* endFaults(play: Play): Iterable<string> {
  const over = isOver(play.state);
  if (!over) yield `is still ${play.state}`;
  if (over !== (play.completedAt !== undefined)) yield `is ${play.state} with completedAt ${String(play.completedAt)}`;
  if (over) {
    for (const field of OPEN_ONLY) {
      if (play[field] !== undefined) yield `is ${play.state} and still has ${field}`;
    }
    if (play.key !== undefined && play.state !== 'DONE') yield `is ${play.state} and still holds its key`;
  }
  if (play.seq !== play.log.length) yield `has seq ${play.seq} and ${play.log.length} log entries`;
  if (play.cursor !== play.layers.length) yield `has cursor ${play.cursor} and ${play.layers.length} results`;
}

function* logFaults(log: readonly LogEntry[], { state }: Play): Iterable<string> {
  if (log[0]?.type !== 'accepted') yield `its log begins with ${log[0]?.type}`;
  let told: Play['state'] = log[1]?.type === 'state' ? log[1].from : 'NEW';
  let ends = 0;
  for (const [i, entry] of log.entries()) {
    if (entry.seq !== i + 1) yield `entry ${i + 1} of its log has seq ${entry.seq}`;
    if (ends > 0) yield `its log goes on with ${entry.type} after the end`;
    if (entry.type === 'end') ends += 1;
    if (entry.type !== 'state') continue;
    if (entry.from !== told) yield `its log tells of ${entry.from} → ${entry.state} while it was ${told}`;
    if (!isLegal(entry.from, entry.state)) yield `its log tells of the illegal move ${entry.from} → ${entry.state}`;
    told = entry.state;
  }
  if (told !== state) yield `its log ends in ${told}, it is ${state}`;
  if (isOver(state) && ends !== 1) yield `its log has ${ends} ends`;
}

function* layerFaults({ layers, log, completedAt }: Play, clockErrorMs: number): Iterable<string> {
  let before = 0;
  for (const [i, layer] of layers.entries()) {
    if (layer.position !== i) yield `result ${i} is of layer ${layer.position}`;
    const started = layer.startedAt.getTime();
    const ended = layer.completedAt.getTime();
    if (ended + clockErrorMs - CLOCK_TOLERANCE_MS < started) yield `layer ${layer.ref} ended before it started`;
    if (started + clockErrorMs < before) yield `layer ${layer.ref} started before the one before it had ended`;
    before = ended;
    const told = log.filter((entry) => entry.type === 'complete' && entry.layer === i).length;
    if (told !== 1) yield `its log tells ${told} times that layer ${layer.ref} ended`;
  }
  if (completedAt && completedAt.getTime() + clockErrorMs < before) yield 'it ended before its last layer';
}
