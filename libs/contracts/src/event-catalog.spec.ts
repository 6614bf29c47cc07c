import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { eventsPage } from '#tools/docs/events-page.mjs';
import { CLOSE_REASONS, EVENTS } from './event-catalog.js';
import { CLOSE } from './frames.js';

const PAGE = new URL('../../../docs/reference/events.md', import.meta.url);

/** Without the white space that the formatter adds for alignment. */
function bare(markdown: string): string[] {
  return markdown.split('\n').map((line) => line.replace(/ +/g, ' ').replace(/-{3,}/g, '---'));
}

describe('docs/reference/events.md', () => {
  it('is what the catalogue says: `npm run docs` writes it', () => {
    const made = eventsPage({ events: EVENTS, closeCodes: CLOSE, closeReasons: CLOSE_REASONS });
    expect(bare(readFileSync(PAGE, 'utf8'))).toEqual(bare(made));
  });

  it('has the event types and fields of docs/http-api.md §6', () => {
    const fields = Object.fromEntries(Object.entries(EVENTS).map(([type, event]) => [type, Object.keys(event.fields)]));
    expect(fields).toEqual({
      layer_start: expect.arrayContaining(['layer_id', 'flowlet_name', 'timestamp']) as string[],
      layer_progress: expect.arrayContaining(['layer_id', 'progress_percent', 'status']) as string[],
      layer_delta: ['layer_id', 'answer', 'at', 'text', 'ref'],
      layer_complete: expect.arrayContaining(['layer_id', 'status', 'duration_ms', 'output']) as string[],
      layer_error: expect.arrayContaining(['layer_id', 'error_message', 'retry_count']) as string[],
      play_state_change: ['play_id', 'old_status', 'new_status', 'timestamp'],
      play_complete: ['play_id', 'final_status', 'duration_ms', 'kv_summary'],
    });
  });
});
