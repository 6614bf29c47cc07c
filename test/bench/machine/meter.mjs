// @ts-check
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';

const HAS_PROC = existsSync('/proc/stat');
const US_PER_TICK = HAS_PROC ? 1e6 / Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' })) : 0;

/**
 * @typedef {object} Reading
 * @property {number} atMs monotonic
 * @property {number | null} hostUs CPU time that the whole host has spent busy; null on a machine without /proc
 * @property {Record<string, number>} processUs CPU time per process (user and system)
 */

/** @param {Record<string, number>} pids name → pid @returns {Reading} */
export function readMeter(pids) {
  /** @type {Record<string, number>} */
  const processUs = {};
  for (const [name, pid] of Object.entries(pids)) processUs[name] = cpuUs(pid);
  return { atMs: performance.now(), hostUs: HAS_PROC ? hostBusyUs() : null, processUs };
}

/**
 * The CPU time used between two readings.
 * @param {Reading} before @param {Reading} after
 */
export function between(before, after) {
  const seconds = (after.atMs - before.atMs) / 1_000;
  /** @type {Record<string, number>} */
  const processUs = {};
  let oursUs = 0;
  for (const [name, us] of Object.entries(after.processUs)) {
    processUs[name] = us - (before.processUs[name] ?? 0);
    oursUs += processUs[name];
  }
  const hostUs = after.hostUs === null || before.hostUs === null ? null : after.hostUs - before.hostUs;
  return { seconds, hostUs, oursUs, processUs, availableUs: cpus().length * seconds * 1e6 };
}

/** Resident memory in MB now, and the most there was (null where the machine doesn't tell). @param {number} pid */
export function memoryMb(pid) {
  if (!HAS_PROC) return { now: Number(ps(pid, 'rss')) / 1_024, peak: null };
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kb = (/** @type {string} */ field) => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0);
  return { now: kb('VmRSS') / 1_024, peak: kb('VmHWM') / 1_024 };
}

/** user, nice, system, irq, softirq: everything except idle, waiting for disks, and time stolen by the hypervisor. */
function hostBusyUs() {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = (
    readFileSync('/proc/stat', 'utf8').split('\n')[0] ?? ''
  )
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return (user + nice + system + irq + softirq) * US_PER_TICK;
}

/** @param {number} pid */
function cpuUs(pid) {
  if (!HAS_PROC) return psTimeUs(ps(pid, 'time'));
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' '); // the name before it may contain any character
  return (Number(fields[11]) + Number(fields[12])) * US_PER_TICK;
}

/** @param {number} pid @param {string} what */
function ps(pid, what) {
  return execFileSync('ps', ['-o', `${what}=`, '-p', String(pid)], { encoding: 'utf8' }).trim();
}

/** `[[dd-]hh:]mm:ss[.cc]` @param {string} time */
function psTimeUs(time) {
  const [days, clock] = time.includes('-') ? time.split('-') : ['0', time];
  const seconds = (clock ?? '').split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
  return (Number(days) * 86_400 + seconds) * 1e6;
}
