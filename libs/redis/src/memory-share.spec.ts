import { expect, it } from 'vitest';
import { memoryShareOf } from './memory-share.js';

const info = (used: string, most: string) =>
  `# Memory\r\nused_memory:${used}\r\nused_memory_human:1M\r\nmaxmemory:${most}\r\nmaxmemory_human:0B\r\n`;

it('is the used share of the memory, and unknown without a limit', () => {
  expect(memoryShareOf(info('25', '100'))).toBe(0.25);
  expect(memoryShareOf(info('25', '0'))).toBeNull();
  expect(memoryShareOf('')).toBeNull();
});
