// Lists the plays that have failed, over as many pages as there are. Run: WEFT_URL=… WEFT_TOKEN=… node list-plays.ts
import { Weft } from '@weft/client';

const weft = new Weft({ url: process.env.WEFT_URL, token: process.env.WEFT_TOKEN });

for await (const play of weft.plays.list({ state: ['FAIL'], size: 200 })) {
  console.log(play.id, play.error?.code, play.error?.ref, play.error?.message);
}
