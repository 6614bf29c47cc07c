// Follows one play over broken connections, and ends with it. Run: WEFT_URL=… WEFT_TOKEN=… node watch-play.ts <play id>
import { Weft } from '@weft/client';

const [playId = ''] = process.argv.slice(2);
const { WEFT_URL, WEFT_TOKEN, WEFT_STREAM_URL } = process.env;
const weft = new Weft({ url: WEFT_URL, token: WEFT_TOKEN, streamUrl: WEFT_STREAM_URL });

for await (const frame of weft.plays.watch(playId, { onCut: (why) => console.error(why) })) {
  if (frame.type === 'layer_complete') console.log(frame.data.ref, frame.data.status, `${frame.data.duration_ms} ms`);
  if (frame.type === 'play_complete') console.log('play', frame.data.final_status);
}
