/**
 * The program of a sandbox process: takes one task after the other from its parent, all of one company. It is sealed before the
 * first one, and ends with its parent.
 */
import { RESTING_MB } from '../limits.js';
import { READY, type Answer, type Order, type Program } from '../task.js';
import { answerTo } from './answer.js';
import { loadProgram } from './load-program.js';
import { sealRealm } from './sealed-realm.js';

const parent = process;
const say = (answer: Answer | typeof READY): void => void parent.send?.(answer);

// meant for the whole group: the parent decides when its tasks end
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) parent.on(signal, () => undefined);
parent.on('disconnect', () => parent.exit());

const run = await loadProgram(parent.argv[2] as Program);
const rss = parent.memoryUsage.rss.bind(parent.memoryUsage);
const isFull = (): boolean => rss() > RESTING_MB * 1024 * 1024;
parent.on('message', (order: Order) => {
  void answerTo(order, run, isFull).then(say);
});

sealRealm();
say(READY);
