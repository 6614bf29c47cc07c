import { timesDividedBy } from '@weft/engine';
import { MINUTES } from './campaign-length.js';

/** In a long campaign, the times are those of the product. */
const DIVISOR = MINUTES > 0 ? 1 : 3;

/** The times of the protocol in a cluster with `shortTimes`. */
export const TIMES = timesDividedBy(DIVISOR);

const PRELOAD = `globalThis[Symbol.for('weft.protocol-times-divisor')]=${DIVISOR}`;

/** Gives a process of the product these times. All processes of an installation must have the same. */
export const SHORT_TIMES_ENV = {
  NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import=data:text/javascript,${encodeURIComponent(PRELOAD).replaceAll("'", '%27')}`,
};
