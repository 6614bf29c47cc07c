import { describe, expect, it } from 'vitest';
import { FrameRing } from './frame-ring.js';

const frame = (bytes = 10) => ({ bytes });

describe('a ring of frames', () => {
  it('gives each frame under its number', () => {
    const ring = new FrameRing({ frames: 10, bytes: 1_000 });
    const [a, b] = [frame(), frame()];
    ring.push(a);
    ring.push(b);
    expect([ring.start, ring.end, ring.at(0), ring.at(1), ring.at(2)]).toEqual([0, 2, a, b, undefined]);
  });

  it('keeps no more frames than it may, and their numbers', () => {
    const ring = new FrameRing({ frames: 10, bytes: 1_000 });
    const frames = Array.from({ length: 11 }, () => frame());
    for (const one of frames) ring.push(one);
    ring.trim();
    expect([ring.start, ring.end, ring.at(5), ring.at(6)]).toEqual([6, 11, undefined, frames[6]]);
  });

  it('keeps nothing that all have passed', () => {
    const ring = new FrameRing({ frames: 10, bytes: 1_000 });
    for (let i = 0; i < 4; i += 1) ring.push(frame(400));
    ring.dropBefore(3);
    ring.trim();
    expect([ring.start, ring.end]).toEqual([3, 4]);
    ring.dropBefore(2);
    ring.dropBefore(9);
    expect([ring.start, ring.end]).toEqual([4, 4]);
  });

  it('keeps no more bytes than it may, whatever they were when they came', () => {
    const ring = new FrameRing({ frames: 10, bytes: 1_000 });
    const growing = { bytes: 10 };
    ring.push(growing);
    ring.push(frame(480));
    growing.bytes = 900;
    ring.push(frame(600));
    ring.trim();
    expect([ring.start, ring.end]).toEqual([3, 3]);
    ring.push(frame(400));
    ring.trim();
    expect([ring.start, ring.end]).toEqual([3, 4]);
  });
});
