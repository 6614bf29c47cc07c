/**
 * The program of a sandbox process: it runs one task after the other for its parent, all of one company. Its realm is sealed before
 * the first task, and it ends when its parent ends.
 */
import { MAX_REUSED_MB } from '../limits.js';
import { READY, type TaskAnswer, type TaskRequest, type Program } from '../task.js';
import { answerTo } from './answer.js';
import { loadProgram } from './load-program.js';
import { sealRealm } from './sealed-realm.js';

const parent = process;
const say = (answer: TaskAnswer | typeof READY): void => void parent.send?.(answer);

// signals to the process group: the parent decides when its tasks end
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) parent.on(signal, () => undefined);
parent.on('disconnect', () => parent.exit());
// of an object of a program that JavaScript takes for a promise: the task that waits for it fails
parent.on('unhandledRejection', () => undefined);

const run = await loadProgram(parent.argv[2] as Program);
const rss = parent.memoryUsage.rss.bind(parent.memoryUsage);
const isFull = (): boolean => rss() > MAX_REUSED_MB * 1024 * 1024;
parent.on('message', (request: TaskRequest) => {
  void answerTo(request, run, isFull).then(say);
});

sealRealm();
say(READY);
