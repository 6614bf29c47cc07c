// @ts-check
/** `docs/reference/events.md`, from the catalogue of events. */

/**
 * @typedef {{ readonly type: string, readonly says: string }} Field
 * @typedef {{ readonly says: string, readonly sent: string, readonly numbered: boolean, readonly fields: Readonly<Record<string, Field>> }} Event
 */

const HEAD = `# Live events

Written by \`npm run docs\` from \`libs/contracts/src/event-catalog.ts\`; a spec compares the two.

\`/ws/plays/:play_id\` sends frames \`{ "seq", "type", "playId", "data" }\`; the tables below are of \`data\`. \`seq\` counts the frames of a play from 1 by
one. The write that stores an event numbers it, and the event is sent after that write. So a GET already shows it when it arrives, and
\`?fromSeq=n\` repeats all events from number n on unchanged. \`layer_progress\` and \`layer_delta\` have no number and are not stored.

How a client follows a play over broken connections: [examples/watch.ts](../examples/watch.ts). Over socket.io the same frames come as event
\`event\` in the namespace \`/plays\`.`;

/**
 * @param {{ readonly events: Readonly<Record<string, Event>>, readonly closeCodes: Readonly<Record<string, number>>, readonly closeReasons: Readonly<Record<string, string>> }} catalogue
 * @returns {string} Markdown, its tables not yet aligned
 */
export function eventsPage({ events, closeCodes, closeReasons }) {
  const sections = Object.entries(events).map(([type, event]) => section(type, event));
  const codes = Object.entries(closeCodes).map(([name, code]) => `| ${code} | ${closeReasons[name]} |`);
  return (
    [HEAD, ...sections, '## Close codes', ['| code | means |', '| --- | --- |', ...codes].join('\n')].join('\n\n') +
    '\n'
  );
}

/** @param {string} type @param {Event} event */
function section(type, { says, sent, numbered, fields }) {
  const rows = Object.entries(fields).map(([name, field]) => `| \`${name}\` | ${field.type} | ${field.says} |`);
  const kept = numbered ? 'Numbered.' : 'Without a number.';
  return `## ${type}\n\n${says} Sent ${sent}. ${kept}\n\n${['| field | type | |', '| --- | --- | --- |', ...rows].join('\n')}`;
}
