// Copies the ends of all plays to the output, and continues where it was after a restart. Run: node follow-changes.ts <file for the cursor>
import { readFile, writeFile } from 'node:fs/promises';
import { Weft } from '@weft/client';

const [file = 'cursor'] = process.argv.slice(2);
const weft = new Weft({ url: process.env.WEFT_URL, token: process.env.WEFT_TOKEN });

const cursor = await readFile(file, 'utf8').catch(() => 'start');
for await (const change of weft.changes.follow({ cursor, types: ['play_complete'] })) {
  console.log(change.playId, change.data.final_status);
  await writeFile(file, change.cursor); // after what it stands for; best in the transaction that stores the change
}
